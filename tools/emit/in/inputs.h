/* inputs - what emit reads: any number of files, pipes and FIFOs at once, the records of each in
 * their order.
 *
 * Regular files are read one after the other, in the order in which they are named. Each is opened
 * when its turn comes, so that there may be more of them than a process may have open. Pipes are
 * read whenever they have something. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_INPUTS_H
#define EMIT_INPUTS_H

#include "intake.h"

#include <poll.h>

struct input {
	const char *name;
	struct intake intake;
	int fd; /* -1: not open */
	bool is_stdin;
	bool is_regular;
	bool is_waiting; /* a regular file, before its turn */
	bool ready;      /* there is something to read */
};

struct inputs {
	struct input *items;
	size_t count;
	size_t turn; /* before this one no regular file is left */
	struct metrics_cell *malformed;
	int status; /* exit code of an input that could not be read to its end, 0: all could */
};

/* What becomes of a record; NULL: a line was skipped, between the record before and the one after.
 * 0, or -1 when memory ran out. */
typedef int inputs_accept(void *context, struct intake_record *record);

/* Opens what is named (NULL-terminated, kept; nothing: stdin). An input that cannot be opened is
 * reported, and makes the run fail at its end; the others are read. 0, or -1 when memory ran out.
 * `malformed`, nullable, counts the lines that are skipped. */
int inputs_open(struct inputs *inputs, char **names, struct metrics_cell *malformed);

/* True while there is something to be read. */
bool inputs_are_open(const struct inputs *inputs);

/* Fills `fds`, which has room for as many as there are inputs, with what to wait for; returns how
 * many: at least one while one is open. */
size_t inputs_poll(const struct inputs *inputs, struct pollfd *fds);

/* Notes what poll(2) has said about them, before anything else is done with the inputs. */
void inputs_polled(struct inputs *inputs, const struct pollfd *fds);

/* True when some input has something to read, as poll(2) has said. */
bool inputs_are_ready(const struct inputs *inputs);

/* Reads once from each that is ready, hands on each record, whose JSON is the caller's, and opens
 * the regular file whose turn it is now. 0, or -1 when memory ran out. */
int inputs_read(struct inputs *inputs, inputs_accept *accept, void *context);

/* Closes all. */
void inputs_close(struct inputs *inputs);

#endif
