/* wire - NVSentinel's Platform Connector (spec#wire): event records as its HealthEvents message,
 * which health_event.proto describes. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WIRE_H
#define EMIT_WIRE_H

#include "../store/batch.h"

/* How many events may go in one message.
 *
 * NVSentinel's Platform Connector sorts the events of a batch by generatedTimestamp, and its sort
 * may swap equal ones. So with a clock that was set back, or two writers of one check, it could
 * swap a fault and its recovery. It handles batches one after the other, so an event that might be
 * swapped goes into the next batch.
 *
 * The number of events from the batch's beginning that stay in order: it ends before an event that
 * is not later than an earlier one of the same checkName. An event without a time counts as one of
 * 1970, which is what it is to the receiver. At least 1, unless the batch is empty. `*count` is
 * set; 0, or -1 when memory ran out. */
int wire_prefix(const struct batch *batch, size_t *count);

/* The message for all events of the batch, with a gRPC prefix before it, in memory from malloc;
 * `*length` counts both. A field that a record lacks, or that is not of its type, has proto3's
 * default; an action that is none of the enum's is UNKNOWN, a strategy UNSPECIFIED; metadata that
 * is not a string goes as its JSON text.
 *
 * The record's id, by which a receiver knows an event that comes again, is the metadata entry
 * `event_id`. The field of that name in the message is empty, unless `fill_ids`: NVSentinel's node
 * drainer takes a filled one for the id of its own record. NULL when memory ran out. */
char *wire_encode_new(const struct batch *batch, bool fill_ids, size_t *length);

#endif
