/* inputs - reads any number of files, pipes and FIFOs at once. The records of each input stay in
 * order.
 *
 * Regular files are read one after the other, in command-line order. Each is opened only when its
 * turn comes, so their number may exceed the limit of open files. Pipes are read whenever they are
 * readable. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_INPUTS_H
#define EMIT_INPUTS_H

#include "intake.h"

#include <poll.h>

struct input {
	const char *name;
	struct intake intake;
	int fd; /* -1: closed */
	bool is_stdin;
	bool is_regular;
	bool is_waiting; /* a regular file that is not open yet */
	bool ready;      /* poll(2) reported it as readable */
};

struct inputs {
	struct input *items;
	size_t count;
	size_t turn; /* index of the regular file being read; those before it are finished */
	struct metrics_cell *malformed;
	int status; /* exit code if an input could not be read to its end, else 0 */
};

/* Handle a record. `record` NULL: a line was skipped at this point. Return 0, or -1 if memory runs
 * out. */
typedef int inputs_accept(void *context, struct intake_record *record);

/* Open `names` (NULL-terminated, kept; empty: stdin). Report an input that cannot be opened and set
 * `status`; read the others. `malformed` counts skipped lines, may be NULL. Return 0, or -1 if
 * memory runs out. */
int inputs_open(struct inputs *inputs, char **names, struct metrics_cell *malformed);

/* Return true until every input has ended. */
bool inputs_are_open(const struct inputs *inputs);

/* Fill `fds`, which has room for `count` entries. Return how many are used: at least one while an
 * input is open. */
size_t inputs_poll(const struct inputs *inputs, struct pollfd *fds);

/* Store the result of poll(2). Call it before any other function that opens or closes an input. */
void inputs_polled(struct inputs *inputs, const struct pollfd *fds);

/* Return true if poll(2) reported an input as readable. */
bool inputs_are_ready(const struct inputs *inputs);

/* Read once from each ready input and pass each record to `accept`, which owns its JSON. Then open
 * the next regular file if the current one has ended. Return 0, or -1 if memory runs out. */
int inputs_read(struct inputs *inputs, inputs_accept *accept, void *context);

void inputs_close(struct inputs *inputs);

#endif
