/* filter - the main loop of a program that reads records on stdin and writes to stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_FILTER_H
#define NHM_FILTER_H

#include "intake.h"

/* Callbacks of the program; each gets the program's `context`. */
struct filter {
	/* see intake.h; may be NULL */
	bool (*read)(void *context, const char *text, size_t length);
	/* Process one record and take ownership of its json. Return 0, or -1 with errno if writing
	 * failed or memory ran out. */
	int (*accept)(void *context, struct intake *intake, struct intake_record *record);
	/* A line was lost. May be NULL. */
	void (*lose)(void *context);
	/* A stop was requested (stop_catch()): make the input end after the data that is still to
	 * be read. May be called again. NULL: stop reading at once. */
	void (*stop)(void *context);
	/* All input read so far has been accepted. Called before each wait for more, which lasts at
	 * most `*patience_ns`, preset to UINT64_MAX: for ever. Return 0, or -1 with errno as above.
	 * May be NULL. */
	int (*settle)(void *context, uint64_t *patience_ns);
	/* another descriptor that ends a wait when it is readable; 0: none */
	int also_fd;
	/* The input has ended. Return 0, or -1 with errno as above. May be NULL. */
	int (*end)(void *context);
	struct recall *recall;          /* see intake.h; NULL: parse every line */
	struct metrics_cell *malformed; /* counts lost lines, see intake_malformed(); nullable */
	/* Name of the output in messages. NULL: stdout; the run then also ends when stdout has no
	 * reader any more, even while nothing is written. */
	const char *output_name;
};

/* Process stdin to its end, or until a stop is requested (stop_catch(), for programs that must
 * finish something). Report errors on stderr; return the exit code. */
int filter_run(const struct filter *filter, void *context);

/* The same for the descriptor `fd`, which messages call `name`. */
int filter_run_file(const struct filter *filter, void *context, int fd, const char *name);

/* Write a record to stdout unchanged, and release it. Return 0, or -1 with errno. */
int filter_pass(struct intake_record *record);

/* Adjacent records in the input buffer that are to be written together. All zeros: none. */
struct filter_passed {
	const char *text;
	size_t length;
};

/* Like filter_pass(), but the record may be written later: with the next one, or by filter_flush().
 * Call filter_flush() before writing anything else, and before each wait for input. */
int filter_pass_on(struct filter_passed *passed, struct intake_record *record);
int filter_flush(struct filter_passed *passed);

#endif
