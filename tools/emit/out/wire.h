/* wire - encodes events as HealthEvents of NVSentinel's Platform Connector (spec#wire); see
 * health_event.proto. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_WIRE_H
#define EMIT_WIRE_H

#include "../store/batch.h"

/* Set `*count` to how many events, from the first, may go into one message.
 *
 * NVSentinel's Platform Connector sorts the events of a batch by generatedTimestamp, and its sort
 * is not stable. So with a clock that was set back, or two writers of one check, it could swap a
 * fault and its recovery. It handles batches one after the other, so an event that might be swapped
 * goes into the next batch: the count ends before an event that is not later than an earlier one of
 * the same checkName. An event without a time counts as one of 1970, as the receiver sees it. The
 * count is at least 1 unless the batch is empty.
 *
 * Return 0, or -1 if memory runs out. */
int wire_prefix(const struct batch *batch, size_t *count);

/* Encode all events of the batch, with a gRPC prefix, from malloc; `*length` includes the prefix. A
 * field that is missing, or of another type, gets proto3's default; an unknown action becomes
 * UNKNOWN, an unknown strategy UNSPECIFIED; metadata that is not a string is sent as JSON text.
 *
 * The record's id, by which a receiver recognises a duplicate, is sent as the metadata `event_id`.
 * HealthEvent.id is empty unless `fill_ids`: NVSentinel's node drainer takes it for the id of its
 * own record. NULL if memory runs out. */
char *wire_encode_new(const struct batch *batch, bool fill_ids, size_t *length);

#endif
