/* journalask - requests of sinks and metrics to the journal's spool, one errand each. `sink` is the
 * sink's name in the spool, and is kept. `now_ns` is CLOCK_MONOTONIC. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALASK_H
#define EMIT_JOURNALASK_H

#include "journalspool.h"

/* Get what the spool knows of a sink. If it knows only one of the `former` names (NULL: none),
 * rename the sink. Return 0, or -1 if the spool cannot be read now. */
int journal_find_sink(struct journal *journal, const char *sink, const char *const former[2],
	uint64_t now_ns, struct spool_sink *out);

/* Store a sink's position, and how many more events it has accepted. Return false if it has to be
 * stored again. */
bool journal_set_position(struct journal *journal, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns);

/* Store for how long event `number` has been in doubt. If that fails, the time is counted again
 * after a restart. */
void journal_set_doubt(struct journal *journal, const char *sink, uint64_t number,
	uint64_t spent_ns, uint64_t now_ns);

/* Store a dead letter. Return false if that is impossible now. */
bool journal_refuse(struct journal *journal, const struct spool_letter *letter, uint64_t now_ns);

/* Run conditions_collect(). Return 0, or -1 if the spool cannot be read now. */
int journal_read_conditions(
	struct journal *journal, const struct conditions_range *range, struct condition_list *out);

/* Apply the silences in `text`, in the format of the silences file, to the standing conditions and
 * to the events after `delivered`, at `realtime_ns` (since 1970): see releases.h. Return false if
 * that is impossible now, as until all events are stored. */
bool journal_silence(struct journal *journal, const char *text, uint64_t delivered,
	uint64_t realtime_ns, json_t **released);

/* Get the size of the spool and its number of dead letters. Return false if it cannot be read
 * now. */
bool journal_look(struct journal *journal, uint64_t *bytes, uint64_t *letters);

#endif
