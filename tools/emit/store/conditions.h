/* conditions - what is wrong with the node, from when to when: made of the events as they are
 * stored.
 *
 * An event that is not healthy opens a condition, or says once more that it stands; conditions are
 * told apart by node, check, agent, entities and error codes. It ends
 *   - with a healthy event of its node and check that clears it: see clearing.h;
 *   - when what was not fatal is said to be, which opens a new one: what is fatal stays so until it
 *     ends;
 *   - for what the kernel's log said: at the next boot, since nothing in the new log takes it back;
 *     and, when it is not fatal, an hour after it was said last, since most of these messages never
 *     are taken back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CONDITIONS_H
#define EMIT_CONDITIONS_H

#include "../in/facts.h"
#include "spool.h"

/* How long a message of the kernel's log that is not fatal stands. */
#define CONDITIONS_LOG_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

/* Applies an event, in the transaction in which it is stored. `time_ns` is its time, nanoseconds
 * since 1970. */
enum database_status conditions_apply(
	struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns);

/* What has become of the counter of the condition that the event `event_id` has opened; nothing
 * when it stands no more. */
enum database_status conditions_update(
	struct spool *spool, const char *event_id, const char *value, const char *grown);

/* Ends the condition with this id in the spool: with event `number`, at its time, nanoseconds since
 * 1970, `by` recovery, severity or age. */
enum database_status conditions_close(
	struct spool *spool, uint64_t id, uint64_t number, uint64_t time_ns, const char *by);

/* A condition, as a part of an alert. */
struct condition {
	/* Whose it is, what the alert is about and its code: those of its cause, or its own. Never
	 * NULL. */
	const char *node, *check, *device, *port, *code;
	const char *own_code; /* by which it is chosen */
	bool fatal;
	const char *message, *action;
	uint64_t since_ns;
	/* else it has ended since the server was told last, or a silence covers it */
	bool stands;
	bool is_new;      /* it has begun since then */
	uint64_t ends_ns; /* when it ends unless it is renewed, or when it has ended */
	char *texts;      /* in a list: the block, from malloc, that its texts are in */
};

struct conditions_range {
	uint64_t after, upto; /* numbers of events */
	bool all_standing;    /* not only what those events have changed */
	uint64_t now_ns;      /* since 1970 */
	uint64_t ends_ns;     /* of an alert that stands: when it ends unless it is renewed */
};

/* Some conditions, with texts of their own: those of a row end with it. */
struct condition_list {
	struct condition *items;
	size_t count, capacity;
};

/* What has to be known for what a server has to hear about the conditions that were opened,
 * repeated or ended by the events after `after` up to `upto`: these, and what else stands of the
 * same alerts. Those of one alert come one after the other. Free it with condition_list_fini(),
 * but when that failed. */
enum database_status conditions_collect(
	struct spool *spool, const struct conditions_range *range, struct condition_list *out);
void condition_list_fini(struct condition_list *all);

/* The node has been booted when its boot id is not the one that the spool remembers: what the log
 * of the last boot said is over. */
enum database_status conditions_note_boot(
	struct spool *spool, const char *node, const char *boot_id, uint64_t now_ns);

/* The boot id that it remembers: one row, or none. */
extern const char conditions_boot_sql[];

#endif
