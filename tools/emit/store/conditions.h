/* conditions - the node's faults, each with start and end; derived from events as they are stored.
 *
 * An event that is not healthy opens a condition, or repeats one that stands. A condition is
 * identified by node, check, agent, entities and error codes. It ends
 *   - with a healthy event of its node and check that clears it: see clearing.h;
 *   - when a condition that is not fatal is reported as fatal: this opens a new one, which stays
 *     fatal until it ends;
 *   - if it came from the kernel's log: at the next boot, since nothing in the new log clears it;
 *     and, if it is not fatal, an hour after its last report, since most such messages are never
 *     cleared. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CONDITIONS_H
#define EMIT_CONDITIONS_H

#include "../in/facts.h"
#include "spool.h"

/* Apply an event, in the transaction that stores it. `time_ns`: the event's time, since 1970. */
enum database_status conditions_apply(
	struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns);

/* Store the new counter value of the condition that event `event_id` opened. No effect if it no
 * longer stands. */
enum database_status conditions_update(
	struct spool *spool, const char *event_id, const char *value, const char *grown);

/* End condition `id` of the spool with event `number`, at that event's time `time_ns` (since 1970).
 * `by`: "recovery", "severity" or "age". */
enum database_status conditions_close(
	struct spool *spool, uint64_t id, uint64_t number, uint64_t time_ns, const char *by);

/* A condition as a part of an alert. */
struct condition {
	/* Labels of the alert: those of the condition's cause, or its own. Never NULL. */
	const char *node, *check, *device, *port, *code;
	const char *own_code; /* the condition's code; sinks choose by it */
	bool fatal;
	const char *message, *action;
	uint64_t since_ns;
	/* false: it ended after the server was last told, or a silence covers it */
	bool stands;
	/* reported after the server was last told: it is new, or a silence may have hidden it */
	bool is_new;
	uint64_t ends_ns; /* when it ends unless renewed, or when it ended */
	char *texts;      /* in a list: block from malloc that holds its strings */
};

struct conditions_range {
	uint64_t after, upto; /* event numbers */
	bool all_standing;    /* include every alert that stands, changed or not */
	uint64_t now_ns;      /* since 1970 */
	uint64_t ends_ns;     /* end of a standing alert unless it is renewed */
};

/* Conditions that own their strings; strings of a row are valid only until the next row. */
struct condition_list {
	struct condition *items;
	size_t count, capacity;
};

/* Collect what a server has to be told about the events after `after` up to `upto`: the conditions
 * that they opened, repeated or ended, and the other standing conditions of the same alerts. The
 * conditions of one alert are adjacent. On success free `out` with condition_list_fini(). */
enum database_status conditions_collect(
	struct spool *spool, const struct conditions_range *range, struct condition_list *out);
void condition_list_fini(struct condition_list *all);

/* If `boot_id` differs from the stored one, the node was booted: end the conditions of the kernel's
 * log and, if the node had another name when its last boot was noted, all that have that name; and
 * mark the others of the node. */
enum database_status conditions_note_boot(
	struct spool *spool, const char *node, const char *boot_id, uint64_t now_ns);

/* Selects the stored boot id: one row, or none. */
extern const char conditions_boot_sql[];

#endif
