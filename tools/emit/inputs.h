/* inputs - what emit reads: any number of files, pipes and FIFOs at once, records out of each in its own order.
 *
 * Regular files are read one after the other, in the order in which they are named; what others write into pipes is taken as it comes. */
#ifndef EMIT_INPUTS_H
#define EMIT_INPUTS_H

#include "intake.h"

#include <poll.h>

/* Inputs that are open at a time. */
#define INPUTS_MAX 32

struct input {
	const char *name;
	struct intake intake;
	int fd; /* -1: not open */
	bool is_stdin;
	bool is_regular;
	bool ready; /* there is something to read */
};

struct inputs {
	struct input items[INPUTS_MAX];
	size_t count;
	int status; /* exit code of an input that could not be read to its end, 0: all could */
};

/* What becomes of a record; NULL: a line was skipped, between the record before and the one after. 0, or -1 when memory ran out. */
typedef int inputs_take(void *context, struct intake_record *record);

/* Opens what is named (NULL-terminated; nothing: stdin). One that cannot be opened is said, and is the run's failure at its end; the others are read. 0, or EXIT_USAGE when there
 * are too many. `malformed`, nullable, counts the lines that are skipped. */
int inputs_open(struct inputs *inputs, char **names, struct metrics_cell *malformed);

/* True while there is something to be read. */
bool inputs_are_open(const struct inputs *inputs);

/* Fills `fds`, which has room for INPUTS_MAX, with what to wait for; returns how many. */
size_t inputs_poll(const struct inputs *inputs, struct pollfd *fds);

/* Notes what poll(2) has said about them. */
void inputs_polled(struct inputs *inputs, const struct pollfd *fds);

/* Reads once from each that is ready, and hands on each record, whose JSON is the caller's. 0, or -1 when memory ran out. */
int inputs_read(struct inputs *inputs, inputs_take *take, void *context);

/* Closes all. */
void inputs_close(struct inputs *inputs);

#endif
