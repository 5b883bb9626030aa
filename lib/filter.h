/* filter - the loop of a program that takes records on stdin and writes what comes of them to
 * stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_FILTER_H
#define NHM_FILTER_H

#include "intake.h"

/* What the program does; each is given the program's own `context`. */
struct filter {
	/* See intake.h. NULL: nobody does. */
	bool (*read)(void *context, const char *text, size_t length);
	/* Accepts one record, and owns its json. 0, or -1 with errno when writing failed or memory
	 * ran out. */
	int (*accept)(void *context, struct intake *intake, struct intake_record *record);
	/* A line was lost. NULL: nothing to be done about it. */
	void (*lose)(void *context);
	/* The program was asked to stop (stop_catch()): makes the input end, after what is still to
	 * be read. May be called again. NULL: the program reads no more. */
	void (*stop)(void *context);
	/* All that was read has been accepted: called before each wait for more, which lasts at
	 * most `*patience_ns`, UINT64_MAX for ever, which it is. 0, or -1 with errno as above.
	 * NULL: nothing to be done about it. */
	int (*settle)(void *context, uint64_t *patience_ns);
	/* A descriptor that ends a wait, too, when it can be read; 0: none. */
	int also_fd;
	/* The input has ended. 0, or -1 with errno as above. NULL: nothing to be done about it. */
	int (*end)(void *context);
	struct recall *recall;          /* see intake.h; NULL: all is parsed */
	struct metrics_cell *malformed; /* counts lost lines, see intake_malformed(); nullable */
	/* Where these write, for messages. NULL: stdout, and the run ends when nobody reads that
	 * any more, also while nothing is written. */
	const char *output_name;
};

/* Reads stdin to its end, or until a request to stop (stop_catch(), for programs that have
 * something to finish). What goes wrong is said on stderr; returns the exit code. */
int filter_run(const struct filter *filter, void *context);

/* The same for a file: reads `fd`, which messages call `name`. */
int filter_run_file(const struct filter *filter, void *context, int fd, const char *name);

/* Writes a record to stdout as it came, and releases it. 0, or -1 with errno. */
int filter_pass(struct intake_record *record);

/* Records that came one behind the other and are to be written together, where they were read. All
 * zeros: none. */
struct filter_passed {
	const char *text;
	size_t length;
};

/* The same as filter_pass(), but it may be written with the next one, or by filter_flush(): which
 * is to be called before anything else is written, and before each wait for more. */
int filter_pass_on(struct filter_passed *passed, struct intake_record *record);
int filter_flush(struct filter_passed *passed);

#endif
