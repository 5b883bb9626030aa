/* reads - splits a stream of bytes into reads. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reads.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)64 << 10)

/* Drop the bytes of the last read and start the next one. */
static void
begin_read(struct reads *reads)
{
	if (reads->used > 0) {
		reads->text.length -= reads->used;
		memmove(reads->text.bytes, reads->text.bytes + reads->used, reads->text.length);
	}
	reads->used = reads->scanned = 0;
	reads->is_empty = true;
	reads->read = (struct read){.header = HEADER_NONE};
}

void
reads_init(struct reads *reads, int fd)
{
	*reads = (struct reads){.fd = fd};
	begin_read(reads);
}

void
reads_fini(struct reads *reads)
{
	strbuf_fini(&reads->text);
}

/* Complete the current read: its text is the first `length` bytes. */
static void
end_read(struct reads *reads, size_t length, bool is_cut, struct read *read)
{
	*read = reads->read;
	read->is_cut = is_cut;
	read->text = read->is_too_long ? "" : reads->text.bytes;
	read->length = read->is_too_long ? 0 : length;
	reads->used = length;
	reads->any = true;
}

static bool
is_blank(const char *line, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strchr(" \t\r", line[i]) == NULL)
			return false;
	return true;
}

/* Process one line of `length` bytes without its newline; `next` is the offset of the line after
 * it. Return true if the line ends the read, which is then in `*read`. */
static bool
accept_line(struct reads *reads, size_t length, size_t next, struct read *read)
{
	const char *line = reads->text.bytes + reads->scanned;
	struct clock_moment when = {0};
	enum header_status status = header_parse(line, length, &when);
	bool has_begun = !reads->is_empty || reads->read.header != HEADER_NONE;

	if (status == HEADER_NONE) {
		reads->is_empty &= is_blank(line, length);
		reads->scanned = next;
		return false;
	}
	if (status == HEADER_END) {
		end_read(reads, next, false, read);
		return true;
	}
	if (has_begun) {
		/* The line begins the next read. */
		end_read(reads, reads->scanned, reads->read.header != HEADER_NONE, read);
		return true;
	}
	reads->read.header = status;
	reads->read.when = when;
	reads->scanned = next;
	return false;
}

/* Limit memory: drop the text of a read that is too long, and go on scanning for its end. */
static void
limit_text(struct reads *reads)
{
	if (reads->text.length <= READS_MAX_BYTES && !reads->read.is_too_long)
		return;
	reads->read.is_too_long = true;
	reads->is_empty = false;
	size_t rest = reads->text.length - reads->scanned;
	if (rest > CHUNK_BYTES)
		rest = 0; /* a line this long is no header */
	memmove(reads->text.bytes, reads->text.bytes + reads->text.length - rest, rest);
	reads->text.length = rest;
	reads->scanned = 0;
}

/* Scan all complete lines in the buffer. Return true if the read is complete. */
static bool
scan(struct reads *reads, struct read *read)
{
	while (reads->scanned < reads->text.length) {
		const char *line = reads->text.bytes + reads->scanned;
		const char *newline = memchr(line, '\n', reads->text.length - reads->scanned);
		if (newline == NULL)
			break;
		size_t length = (size_t)(newline - line);
		if (accept_line(reads, length, reads->scanned + length + 1, read))
			return true;
	}
	limit_text(reads);
	return false;
}

/* Finish the last read at the end of the input. Drop the bytes after the last newline: they may
 * hold only part of a value. */
static enum reads_status
scan_end(struct reads *reads, struct read *read)
{
	size_t rest = reads->text.length - reads->scanned;
	if (rest > 0 && accept_line(reads, rest, reads->text.length, read))
		return READS_OK;
	bool has_begun = !reads->is_empty || reads->read.header != HEADER_NONE;
	if (!has_begun && reads->any)
		return READS_END;
	end_read(reads, reads->text.length - rest,
		rest > 0 || reads->read.header != HEADER_NONE || reads->read.is_too_long, read);
	reads->used = reads->text.length;
	return READS_OK;
}

static int
fill(struct reads *reads)
{
	char *at = strbuf_reserve(&reads->text, CHUNK_BYTES);
	if (at == NULL)
		return -1;
	ssize_t n = read(reads->fd, at, CHUNK_BYTES);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	reads->at_end = n == 0;
	strbuf_wrote(&reads->text, (size_t)n);
	return 0;
}

enum reads_status
reads_next(struct reads *reads, struct read *read)
{
	begin_read(reads);
	while (!scan(reads, read)) {
		if (reads->at_end)
			return scan_end(reads, read);
		if (fill(reads) < 0)
			return READS_ERROR;
	}
	return READS_OK;
}
