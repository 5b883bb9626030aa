/* standing - what was reported of NICs and has not ended (spec#log-recovery), which is what
 * receivers of the events believe. Pure.
 *
 * A receiver knows a condition by the NICs that its event names and the pattern. It ends
 *   - with a healthy event that names the same NICs and the pattern;
 *   - with a healthy event that names no NIC, which ends all that was ever said;
 *   - when it is not fatal, an hour after it was said last: nobody acts on it, and nothing in the
 *     log takes most of them back. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_STANDING_H
#define LOGMATCH_STANDING_H

#include "logpattern.h"
#include "subject.h"

#include <stddef.h>
#include <stdint.h>

/* Interfaces that an event names at most: those below a port of a switch. */
#define STANDING_NICS_MAX 8

/* Longest name of an interface that is taken, bytes. */
#define STANDING_NIC_MAX_BYTES 63

struct standing_nics {
	char names[STANDING_NICS_MAX][STANDING_NIC_MAX_BYTES + 1];
	size_t count;
};

/* The same interfaces, in the same order. */
bool standing_nics_is_same(const struct standing_nics *a, const struct standing_nics *b);

/* Conditions that are remembered at once; beyond that the oldest is forgotten, those that are not
 * fatal first. */
#define STANDING_MAX 256

/* How long what is not fatal stands, nanoseconds. */
#define STANDING_NOTE_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

/* Room for the id of an event and a NUL: 16 digits, a dash, 20 digits. */
#define STANDING_ID_SIZE 40

/* Room for the name of a firmware command and a NUL; the longest of the driver's is shorter. */
#define STANDING_COMMAND_SIZE 64

struct standing_entry {
	char device[SUBJECT_SIZE]; /* that the line was about; "": not known */
	enum logpattern pattern;
	char id[STANDING_ID_SIZE]; /* of the event that said it last */
	/* of a command that timed out: `ENABLE_HCA(0x104)`; "" */
	char command[STANDING_COMMAND_SIZE];
	struct standing_nics nics; /* that the event named */
	bool fatal;
	bool is_text; /* nothing but texts has said it */
	bool over;    /* it has ended, and no event could say so yet: see standing_consume() */
	const char *strategy; /* processingStrategy of the event, one of event_strategies */
	uint64_t last_ns;     /* when it was said last, in the time of the log */
};

struct standing {
	struct standing_entry entries[STANDING_MAX]; /* in the order in which they were said last */
	size_t count;
};

/* Of two words for a processingStrategy the one that goes further: to be acted upon is more than to
 * be analysed, and that is more than to be stored. */
const char *standing_further(const char *a, const char *b);

/* It was said, for the first time or again. What stands with the same device, pattern, command and
 * NICs becomes this; what was fatal stays so. */
void standing_add(struct standing *standing, const struct standing_entry *entry);

/* True when a fatal condition of this pattern stands for the device, whatever NICs it names. */
bool standing_is_fatal(
	const struct standing *standing, const char *device, enum logpattern pattern);

/* Forgets what is not fatal and was said STANDING_NOTE_NS ago or earlier. Returns how many. */
size_t standing_expire(struct standing *standing, uint64_t now_ns);

/* Conditions that one event takes back. */
struct standing_group {
	struct standing_nics nics; /* that it has to name; none: it ends all that stands */
	/* Of each pattern the one that was said last, in the order of the patterns. */
	enum logpattern patterns[LOGPATTERN_N];
	char ids[LOGPATTERN_N][STANDING_ID_SIZE];
	size_t count;
	const char *strategy; /* that which goes furthest */
};

/* Ends each condition of which `ends` is true. `out` gets those that had not ended before, without
 * NICs. `context` is for `ends`. */
void standing_end(struct standing *standing,
	bool (*ends)(const void *context, const struct standing_entry *entry), const void *context,
	struct standing_group *out);

/* Consumes what is over and can be taken back with one event; false when there is nothing. To be
 * called until then.
 *
 * To a receiver, conditions of two devices with the same NICs and pattern are one: it is taken back
 * when it is over for both. An event that names no NIC would take back everything. So what was
 * reported without a NIC waits until nothing else that is fatal stands; then all is consumed. */
bool standing_consume(struct standing *standing, struct standing_group *out);

/* The device's condition with this command, or NULL. Which command it is must be certain: when it
 * is "", there is one command of the pattern only. */
const struct standing_entry *standing_find(const struct standing *standing, const char *device,
	enum logpattern pattern, const char *command);

/* An event has got another id. */
void standing_rename(struct standing *standing, const char *old_id, const char *new_id);

/* The command that a message is about, `NAME(0x..)`; "" when it names none. */
void standing_command(const char *text, size_t length, char out[STANDING_COMMAND_SIZE]);

#endif
