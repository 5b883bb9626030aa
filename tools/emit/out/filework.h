/* filework - a file, or FIFO, that is opened and written by a thread of its own, so that nobody
 * else waits when its disk hangs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FILEWORK_H
#define EMIT_FILEWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct filework;

/* Nothing is opened yet. `path` is copied; NULL: `fd`, which is open, stays the caller's, and is
 * never opened anew. NULL with errno. */
struct filework *filework_new(const char *path, int fd);

enum filework_status {
	FILEWORK_DONE,
	FILEWORK_LATE,   /* it is under way: ask again when filework_fd() is readable, or later */
	FILEWORK_FAILED, /* `*error` is an errno */
};

/* Opens it, making it if need be; what was open is closed. A line that somebody left without its
 * end gets it. */
enum filework_status filework_open(struct filework *work, int *error);

/* Writes as much as it takes, `*written`, which is 0 for a FIFO that is full. After LATE, call it
 * again with the same bytes until it returns something else. If the file was rotated away, the next
 * line goes into the new file of its name. */
enum filework_status filework_write(
	struct filework *work, const char *bytes, size_t length, size_t *written, int *error);

/* A new round of the loop: it waits a moment again for what is begun. */
void filework_turn(struct filework *work);

/* The descriptor of the file, to wait until a FIFO takes more; -1: not open. Only while nothing is
 * under way. */
int filework_file(const struct filework *work);

/* Readable when what was LATE has ended; -1: nothing is. */
int filework_fd(const struct filework *work);

/* Since when nothing is taken, of CLOCK_MONOTONIC: it is under way, or a FIFO is full. 0: it takes
 * what comes. */
uint64_t filework_stuck_since_ns(const struct filework *work);

/* Closes it. What hangs is left to itself. NULL is nothing to free. */
void filework_free(struct filework *work);

#endif
