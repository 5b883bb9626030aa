/* filework - opens and writes a file or FIFO in a thread of its own, so that a disk that hangs
 * delays no other sink. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_FILEWORK_H
#define EMIT_FILEWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct filework;

/* Return a new object; nothing is opened yet. `path` is copied. If it is NULL, use `fd`, which is
 * open, stays the caller's and is never reopened. NULL with errno on failure. */
struct filework *filework_new(const char *path, int fd);

enum filework_status {
	FILEWORK_DONE,
	FILEWORK_LATE,   /* running: call again when filework_fd() is readable, or later */
	FILEWORK_FAILED, /* `*error` is an errno */
};

/* Close any open file, then open it, and create it if missing. Complete a last line without a
 * newline. */
enum filework_status filework_open(struct filework *work, int *error);

/* Write as much as the file accepts and set `*written`: 0 for a FIFO that is full. After
 * FILEWORK_LATE, call it again with the same bytes until the result differs. If the file was
 * rotated away, the next line goes into the new file of that name. */
enum filework_status filework_write(
	struct filework *work, const char *bytes, size_t length, size_t *written, int *error);

/* Start a new round of the loop, with its own time to wait. */
void filework_turn(struct filework *work);

/* Return the descriptor of the file, to poll a full FIFO; -1: closed. Not while a call is
 * FILEWORK_LATE. */
int filework_file(const struct filework *work);

/* Return a descriptor that is readable when a FILEWORK_LATE call has ended; -1: none. */
int filework_fd(const struct filework *work);

/* Return since when no bytes are accepted, CLOCK_MONOTONIC: a call is late, or a FIFO is full. 0:
 * neither. */
uint64_t filework_stuck_since_ns(const struct filework *work);

/* Close and free it. If its thread hangs, abandon it. `work` may be NULL. */
void filework_free(struct filework *work);

#endif
