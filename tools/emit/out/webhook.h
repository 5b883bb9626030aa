/* webhook - encodes events as a CloudEvents 1.0 batch. Pure.
 *
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md, section 4 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WEBHOOK_H
#define EMIT_WEBHOOK_H

#include "../store/batch.h"

#define WEBHOOK_CONTENT_TYPE "application/cloudevents-batch+json"

/* CloudEvents type of all events. */
#define WEBHOOK_EVENT_TYPE "nic-health-monitor.event.v1"

/* Encode all events of the batch, from malloc, NUL-terminated; `*length` excludes the NUL. The data
 * of an event is its record, verbatim. `node` is for records without a nodeName. An event without
 * an id gets the hash of its line; a line that is no record becomes an event without data. NULL if
 * memory runs out. */
char *webhook_encode_new(const struct batch *batch, const char *node, size_t *length);

#endif
