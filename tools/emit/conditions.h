/* conditions - what is wrong with the node, from when to when: made of the events as they are stored.
 *
 * An event that is not healthy opens a condition, or says once more that it stands; conditions are told apart by node, check, entities and error codes. It ends
 *   - with a healthy event of the same check and entities whose error codes are its own, or, for a condition that has one, hold it;
 *   - with a healthy event of its check that names no entity;
 *   - when the same is said with another severity, which opens a new one;
 *   - for what the kernel's log said: at the next boot, since nothing in the new log takes it back; and, when it is not fatal, an hour after it was said last, since most
 *     of these messages never are. */
#ifndef EMIT_CONDITIONS_H
#define EMIT_CONDITIONS_H

#include "alerts.h"
#include "spool.h"

/* logmatch's events. */
#define CONDITIONS_LOG_CHECK "SysLogsNICDriverError"

/* How long a message of the kernel's log that is not fatal stands. */
#define CONDITIONS_LOG_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

/* Applies an event, in the transaction in which it is stored. `time_ns` is its time, nanoseconds since 1970. */
enum database_status conditions_apply(
	struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns);

/* Gets each alert, whose strings are lent for the call. 0, or -1 when memory ran out. */
typedef int conditions_take(void *context, const struct alert *alert);

struct conditions_range {
	uint64_t after, upto; /* numbers of events */
	bool all_standing;    /* not only what those events have changed */
	uint64_t now_ns;      /* since 1970 */
	uint64_t ends_ns;     /* of an alert that stands: when it ends unless it is renewed */
};

/* What a server has to hear about the conditions that were opened, repeated or ended by the events after `after` up to `upto`. */
enum database_status conditions_alerts(struct spool *spool, const struct conditions_range *range,
	conditions_take *take, void *context);

/* The node has been booted when its boot id is not the one that the spool remembers: what the log of the last boot said is over. */
enum database_status conditions_note_boot(
	struct spool *spool, const char *node, const char *boot_id, uint64_t now_ns);

#endif
