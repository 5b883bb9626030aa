/* history - what a spool tells people and tools. It is read while the service runs and writes to it. */
#ifndef EMIT_HISTORY_H
#define EMIT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked for: by history_option_take() from a command line. All zero: nothing. */
struct history_options {
	bool events, standing, dead_letters; /* to be shown, in any combination */
	bool replay;                         /* to be sent again; goes with none of these */
	bool has_since;
	uint64_t since_ns;  /* nanoseconds since 1970; 0: as far back as it goes */
	const char *device; /* NULL: all */
	bool fatal;         /* only what is */
	bool has_format, json;
	const char *path; /* of the spool; NULL: SCHEMA_DEFAULT_PATH */
	uint64_t now_ns;  /* nanoseconds since 1970; set before the command line is read */
};

/* Prints what is asked for to stdout. Returns the exit code; a failure has been said. Somebody who does not read to the end is no failure, as far as SIGPIPE is ignored. */
int history_print(const struct history_options *options);

/* Hands the records to be sent again, without newlines, to take(), in the order in which they came: the events with these ids (NULL-terminated; each id once, also where only a dead letter
 * is left of it), or without any id all that the options choose. An id that is nowhere is said, and then nothing is handed over: EXIT_NO_INPUT. take() may last: the spool is not
 * held meanwhile. What it returns, if not 0, ends the replay and is its exit code. */
int history_replay(const struct history_options *options, char *const *ids,
	int (*take)(void *context, const char *record, size_t length), void *context);

/* --- the command line --- */

enum history_option {
	HISTORY_EVENTS,       /* --history */
	HISTORY_STANDING,     /* --standing */
	HISTORY_DEAD_LETTERS, /* --dead-letters */
	HISTORY_REPLAY,       /* --replay */
	HISTORY_SINCE,        /* --since WHEN */
	HISTORY_DEVICE,       /* --device NAME */
	HISTORY_FATAL,        /* --fatal */
	HISTORY_FORMAT,       /* --format FORMAT */
};

/* Takes an option and its value, which is kept, not copied. Returns NULL, or the reason why the value will not do. */
const char *history_option_take(
	struct history_options *options, enum history_option option, const char *value);

/* Whether something is to be shown: history_print(). */
bool history_is_shown(const struct history_options *options);

/* Whether the options and the operands (NULL-terminated) go together. 0, or EXIT_USAGE after saying what does not. */
int history_options_check(const struct history_options *options, char *const *operands);

#endif
