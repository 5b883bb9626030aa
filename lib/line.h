/* line - reads lines of bounded length from a descriptor, and writes whole lines.
 *
 * A line longer than the limit is skipped to its end and reported once, never split. A last line
 * without a newline is still a line. The reader buffers only what read(2) returns, so it works on
 * pipes, sockets and files, also with poll(2): call line_fill(), then line_next() until
 * LINE_MORE. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LINE_H
#define NHM_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* The longest line that a reader of records accepts (records#rules-for-all-records). */
#define LINE_RECORD_MAX_BYTES ((size_t)1 << 20)

enum line_status {
	LINE_OK,
	LINE_MORE,      /* no whole line in the buffer: call line_fill() */
	LINE_OVERSIZED, /* a line beyond the limit was skipped */
	LINE_END,       /* end of input */
	LINE_ERROR,     /* read failed or memory ran out, see errno */
};

/* All fields are private to line.c. */
struct line_reader {
	int fd;
	size_t limit; /* longest line without its newline, bytes */
	char *buffer;
	size_t capacity;
	size_t start, end; /* unread bytes are buffer[start..end) */
	size_t scanned;    /* number of these bytes known to hold no newline */
	bool skipping;     /* inside an oversized line */
	bool at_end;
};

/* Prepare `reader` for `fd`, which the caller still owns. The buffer is allocated on first use. */
void line_reader_init(struct line_reader *reader, int fd, size_t limit_bytes);

/* Free the buffer. */
void line_reader_fini(struct line_reader *reader);

/* Call read(2) once. Return LINE_OK (also if EINTR or EAGAIN brought nothing), LINE_END or
 * LINE_ERROR. */
enum line_status line_fill(struct line_reader *reader);

/* Return the next line of the buffer, without its newline, NUL-terminated in place. The caller may
 * change `*line`, which is valid until the next call. Never blocks: LINE_MORE asks for
 * line_fill(). */
enum line_status line_next(struct line_reader *reader, char **line, size_t *length);

/* Write all bytes, in one write(2) unless the system accepts fewer. Return 0, or -1 with errno. */
int line_write(int fd, const char *bytes, size_t length);

#endif
