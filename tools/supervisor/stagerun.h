/* stagerun - one stage run once: bytes in, bytes out, and a deadline that it cannot miss. */
#ifndef SUPERVISOR_STAGERUN_H
#define SUPERVISOR_STAGERUN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stagerun_request {
	const char *path;
	char *const *argv;
	const char *input; /* its stdin; NULL: nothing */
	size_t input_length;
	unsigned
		scan_ends; /* so many scan.end records are all that is wanted; 0: everything it writes */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
};

/* Texts are NUL-terminated, and from malloc. */
struct stagerun_text {
	char *bytes;
	size_t length, capacity;
};

enum stagerun_end {
	STAGERUN_DONE,     /* it wrote all that was wanted */
	STAGERUN_LATE,     /* the deadline came first; what it wrote until then is there */
	STAGERUN_TOO_MUCH, /* it wrote more than anybody would read */
};

struct stagerun {
	enum stagerun_end end;
	bool ended;     /* the process is gone; one that hangs in the kernel is left to it */
	siginfo_t info; /* then: how, see waitid(2) */
	struct stagerun_text out, err;
};

/* Runs the stage and kills it when it has served. 0, or -1 with errno when it could not be started or memory ran out. Free
 * with stagerun_fini() in both cases. */
int stagerun_run(const struct stagerun_request *request, struct stagerun *run);

void stagerun_fini(struct stagerun *run);

/* The line that begins at `*at`, 0 for the first, without its end; moves `*at` behind it. False when there is none. */
bool stagerun_next_line(
	const struct stagerun_text *text, size_t *at, const char **line, size_t *length);

/* True for a line that ends a scan, as ibscan writes it. */
bool stagerun_is_scan_end(const char *line, size_t length);

#endif
