/* webhook - event records as a CloudEvents 1.0 batch. Pure.
 *
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md, section 4 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WEBHOOK_H
#define EMIT_WEBHOOK_H

#include "../store/batch.h"

#define WEBHOOK_CONTENT_TYPE "application/cloudevents-batch+json"

/* What every event is, in CloudEvents' terms. */
#define WEBHOOK_EVENT_TYPE "nic-health-monitor.event.v1"

/* The body for all events of the batch, from malloc, NUL-terminated; `*length` without the NUL. The
 * record is the event's data, as it came. `node` is for records without a nodeName. An event
 * without an id gets one that is made from its line; a line that is not a record becomes an event
 * without data. NULL when memory ran out. */
char *webhook_encode_new(const struct batch *batch, const char *node, size_t *length);

#endif
