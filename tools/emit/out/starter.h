/* starter - starts a program again and again, each time with other lines on its stdin: a process of
 * its own, since emit gives up starting programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_STARTER_H
#define EMIT_STARTER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How a run of the program ended. */
struct starter_end {
	int error;      /* errno: it could not be started; 0: it was */
	bool was_late;  /* it had not ended in time, and was killed */
	siginfo_t info; /* see waitid(2) */
};

/* Begins the process, which ends with this one; the program `path` gets `timeout_ms` for each run.
 * To be called before there are threads. Returns the descriptor by which it is asked, for close(2),
 * or -1 with errno. */
int starter_begin(const char *path, uint64_t timeout_ms);

/* Has the program run with these lines on its stdin, and waits for its end. 0, or -1 with errno
 * when the process is gone. */
int starter_run(int fd, const char *lines, size_t length, struct starter_end *end);

#endif
