/* journalask - what else sinks and metrics ask of the journal's spool, one errand each; `sink`, its
 * name there, is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_JOURNALASK_H
#define EMIT_JOURNALASK_H

#include "journalspool.h"

/* Looks up what it knows of a sink, also under the names that it had before (NULL: none), which it
 * loses. 0, or -1 when it cannot be read now. */
int journal_find_sink(struct journal *journal, const char *sink, const char *const former[2],
	uint64_t now_ns, struct spool_sink *out);

/* Tells it how far a sink has got, and how many events have arrived since it was told last. False:
 * it has to be told again. */
bool journal_set_position(struct journal *journal, const char *sink, uint64_t position,
	uint64_t delivered, uint64_t now_ns);

/* Tells it for how long event `number` is in doubt. What cannot be noted is counted again after a
 * restart. */
void journal_set_doubt(struct journal *journal, const char *sink, uint64_t number,
	uint64_t spent_ns, uint64_t now_ns);

/* Keeps a dead letter. False when it cannot be kept now. */
bool journal_refuse(struct journal *journal, const struct spool_letter *letter, uint64_t now_ns);

/* Of conditions_collect(). 0, or -1 when it cannot be read now. */
int journal_read_conditions(
	struct journal *journal, const struct conditions_range *range, struct condition_list *out);

/* Compares what stands, and what not every sink has, which is all after number `delivered`, with
 * the silences in a text, as the file of silences has it, at a moment since 1970: see releases.h.
 * Whether it could be done: not before everything is stored that has come. */
bool journal_silence(struct journal *journal, const char *text, uint64_t delivered,
	uint64_t realtime_ns, json_t **released);

/* How large the spool is, and how many dead letters it has. False when it cannot be read now. */
bool journal_look(struct journal *journal, uint64_t *bytes, uint64_t *letters);

#endif
