/* verdicts - formats suspected switches (spec#fabric-suspect) and held events as records. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_VERDICTS_H
#define BLASTRADIUS_VERDICTS_H

#include "queue.h"
#include "suspects.h"

/* Return the nodeName of events about a place: the switch, or the fabric. */
const char *verdicts_name(const struct place *place, const char *fabric);

/* Return the next event of the stream, to be released with json_decref(): the place is suspected,
 * or no longer. NULL with ENOMEM when memory ran out. */
json_t *verdicts_new(struct event_stream *stream, const struct suspects *suspects,
	const struct suspects_report *report);

/* Return the released event as the next one of the stream. NULL as above, or if it does not fit
 * into an event. */
json_t *verdicts_release_new(struct event_stream *stream, const struct suspects_report *report);

/* Return the record of an event that is held because of a place, as a line with its line feed, from
 * malloc. NULL when memory ran out. */
char *verdicts_hold_new(const struct line *line, const struct place *place, size_t *length);

#endif
