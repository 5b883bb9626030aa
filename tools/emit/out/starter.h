/* starter - runs a program again and again, each time with other lines on its stdin. It is a
 * process of its own, because emit gives up the right to start programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_STARTER_H
#define EMIT_STARTER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Result of a run. */
struct starter_end {
	int error;      /* errno if it could not be started, else 0 */
	bool was_late;  /* it exceeded its time and was killed */
	siginfo_t info; /* see waitid(2) */
};

/* Start the process, which exits with the caller. It runs the program `path` with `timeout_ms` per
 * run. Call it before the first thread. Return the descriptor for requests, for close(2), or -1
 * with errno. */
int starter_begin(const char *path, uint64_t timeout_ms);

/* Run the program with these lines on its stdin and wait for its end. Return 0, or -1 with errno if
 * the process is gone. */
int starter_run(int fd, const char *lines, size_t length, struct starter_end *end);

#endif
