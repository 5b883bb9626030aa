/* line - reads lines of bounded length from a descriptor, and writes whole lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A pipe's capacity, so that one read(2) can return a whole scan. */
#define FIRST_CAPACITY ((size_t)64 << 10)

void
line_reader_init(struct line_reader *reader, int fd, size_t limit_bytes)
{
	*reader = (struct line_reader){.fd = fd, .limit = limit_bytes};
}

void
line_reader_fini(struct line_reader *reader)
{
	free(reader->buffer);
	reader->buffer = NULL;
	reader->capacity = reader->start = reader->end = reader->scanned = 0;
}

/* Make room for at least one more byte and its NUL. */
static int
make_room(struct line_reader *reader)
{
	if (reader->start > 0) {
		memmove(reader->buffer, reader->buffer + reader->start,
			reader->end - reader->start);
		reader->end -= reader->start;
		reader->start = 0;
	}
	if (reader->end + 1 < reader->capacity)
		return 0;

	size_t capacity = reader->capacity == 0 ? FIRST_CAPACITY : 2 * reader->capacity;
	char *buffer = realloc(reader->buffer, capacity);
	if (buffer == NULL)
		return -1;
	reader->buffer = buffer;
	reader->capacity = capacity;
	return 0;
}

enum line_status
line_fill(struct line_reader *reader)
{
	if (reader->at_end)
		return LINE_END;
	if (make_room(reader) < 0)
		return LINE_ERROR;

	ssize_t n =
		read(reader->fd, reader->buffer + reader->end, reader->capacity - reader->end - 1);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? LINE_OK : LINE_ERROR;
	if (n == 0) {
		reader->at_end = true;
		return LINE_END;
	}
	reader->end += (size_t)n;
	return LINE_OK;
}

/* Remove `length` bytes and `newline` (0 or 1) more from the buffer, and return them as a line, or
 * drop them if they are part of an oversized one. */
static enum line_status
consume(struct line_reader *reader, size_t length, size_t newline, char **line, size_t *line_length)
{
	char *text = reader->buffer + reader->start;
	bool oversized = reader->skipping || length > reader->limit;

	reader->start += length + newline;
	reader->scanned = 0;
	reader->skipping = false;
	if (oversized)
		return LINE_OVERSIZED;
	text[length] = '\0';
	*line = text;
	*line_length = length;
	return LINE_OK;
}

enum line_status
line_next(struct line_reader *reader, char **line, size_t *length)
{
	size_t unread = reader->end - reader->start;
	if (unread == 0 && !(reader->skipping && reader->at_end))
		return reader->at_end ? LINE_END : LINE_MORE;

	char *text = reader->buffer + reader->start;
	char *newline = unread == reader->scanned
				? NULL
				: memchr(text + reader->scanned, '\n', unread - reader->scanned);

	if (newline != NULL)
		return consume(reader, (size_t)(newline - text), 1, line, length);
	if (reader->at_end)
		return consume(reader, unread, 0, line, length);

	reader->scanned = unread;
	if (unread > reader->limit) {
		/* Drop this part; the rest of the line is still to come. */
		reader->skipping = true;
		reader->start = reader->end = reader->scanned = 0;
	}
	return LINE_MORE;
}

int
line_write(int fd, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, bytes, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		length -= (size_t)n;
	}
	return 0;
}
