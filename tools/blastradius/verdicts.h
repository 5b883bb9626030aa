/* verdicts - what has become of a switch, as an event (spec#fabric-suspect); and events that are
 * held back. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_VERDICTS_H
#define BLASTRADIUS_VERDICTS_H

#include "queue.h"
#include "suspects.h"

/* Whom an event about a place is about: the switch, or else the fabric. */
const char *verdicts_name(const struct place *place, const char *fabric);

/* The next event of the stream, to be given back with json_decref(): that a place is suspected, or
 * no longer. NULL with ENOMEM when memory ran out. */
json_t *verdicts_new(struct event_stream *stream, const struct suspects *suspects,
	const struct suspects_report *report);

/* The event that is released, as the next one of the stream. NULL as above, or when it does not fit
 * into an event. */
json_t *verdicts_release_new(struct event_stream *stream, const struct suspects_report *report);

/* The record of an event of which nothing is to come because of a place: a line with its line feed,
 * from malloc. NULL when memory ran out. */
char *verdicts_hold_new(const struct line *line, const struct place *place, size_t *length);

#endif
