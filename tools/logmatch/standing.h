/* standing - conditions of NICs that were reported and have not ended (spec#log-recovery), as the
 * receivers of the events know them. Pure.
 *
 * A receiver identifies a condition by the pattern and the NICs of its event. A condition ends
 *   - with a healthy event with the same NICs and the pattern;
 *   - with a healthy event without a NIC, which ends all conditions;
 *   - if it is not fatal, an hour after its last report: it triggers nothing, and for most patterns
 *     the log shows no recovery. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_STANDING_H
#define LOGMATCH_STANDING_H

#include "logpattern.h"
#include "subject.h"

#include <stddef.h>
#include <stdint.h>

/* Interfaces that one event can name: those below a port of a switch. */
#define STANDING_NICS_MAX 8

/* Longest accepted name of an interface, bytes. */
#define STANDING_NIC_MAX_BYTES 63

struct standing_nics {
	char names[STANDING_NICS_MAX][STANDING_NIC_MAX_BYTES + 1];
	size_t count;
};

/* Return true for the same interfaces in the same order. */
bool standing_nics_is_same(const struct standing_nics *a, const struct standing_nics *b);

/* Conditions remembered. When full, the oldest is evicted, non-fatal ones first. */
#define STANDING_MAX 256

/* Size of an event id with NUL: 16 digits, a dash, 20 digits. */
#define STANDING_ID_SIZE 40

/* Size of a firmware command's name with NUL; the driver's longest is shorter. */
#define STANDING_COMMAND_SIZE 64

struct standing_entry {
	char device[SUBJECT_SIZE]; /* device of the line; "": unknown */
	enum logpattern pattern;
	char id[STANDING_ID_SIZE]; /* id of the last event that reported it */
	/* command that timed out: `ENABLE_HCA(0x104)`; else "" */
	char command[STANDING_COMMAND_SIZE];
	struct standing_nics nics; /* NICs of the event */
	bool fatal;
	bool is_text; /* reported by texts only */
	bool over;    /* ended, but no event could report that yet: see standing_consume() */
	const char *strategy; /* processingStrategy of the event, one of event_strategies */
	uint64_t last_ns;     /* newest report, in the time of the log */
};

struct standing {
	struct standing_entry entries[STANDING_MAX]; /* in the order of their last reports */
	size_t count;
};

/* Return the processingStrategy with more effect: remediation, then analysis, then storing. */
const char *standing_further(const char *a, const char *b);

/* Add a reported condition. An entry with the same device, pattern, command and NICs is replaced; a
 * fatal one stays fatal. */
void standing_add(struct standing *standing, const struct standing_entry *entry);

/* Return true if a fatal condition of this pattern stands for the device, whatever NICs it
 * names. */
bool standing_is_fatal(
	const struct standing *standing, const char *device, enum logpattern pattern);

/* Remove non-fatal conditions whose last report is at least CHECKS_LOG_NS ago. Return how many. */
size_t standing_expire(struct standing *standing, uint64_t now_ns);

/* Conditions that one event ends. */
struct standing_group {
	struct standing_nics nics; /* NICs that the event must name; none: it ends all conditions */
	/* One id per pattern, from its last report, in the order of the patterns. */
	enum logpattern patterns[LOGPATTERN_N];
	char ids[LOGPATTERN_N][STANDING_ID_SIZE];
	size_t count;
	const char *strategy; /* the one with most effect */
};

/* End each condition for which `ends` returns true. `out` gets those that had not ended before,
 * without NICs. `context` is passed to `ends`. */
void standing_end(struct standing *standing,
	bool (*ends)(const void *context, const struct standing_entry *entry), const void *context,
	struct standing_group *out);

/* Remove ended conditions that one event can report; false if there are none. Call it until then.
 *
 * To a receiver, conditions of two devices with the same NICs and pattern are one: it ends when
 * both have ended. An event without a NIC would end every condition. So an ended condition without
 * a NIC waits until no other fatal condition stands; then all conditions are removed. */
bool standing_consume(struct standing *standing, struct standing_group *out);

/* Return the device's condition with this command, or NULL. If `command` is "", all conditions of
 * the pattern must have the same command. */
const struct standing_entry *standing_find(const struct standing *standing, const char *device,
	enum logpattern pattern, const char *command);

/* Replace an event id that changed. */
void standing_rename(struct standing *standing, const char *old_id, const char *new_id);

/* Parse the command that a message is about, `NAME(0x..)`; "" if none. */
void standing_command(const char *text, size_t length, char out[STANDING_COMMAND_SIZE]);

#endif
