/* blocks - reads a log from a file or a pipe in large blocks of whole lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include "line.h"
#include "stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void
blocks_init(struct blocks *blocks, int fd)
{
	*blocks = (struct blocks){.fd = fd};
}

void
blocks_fini(struct blocks *blocks)
{
	free(blocks->buffer);
	blocks->buffer = NULL;
}

/* Grow the buffer only when a line does not fit, up to the longest line accepted. */
static int
make_room(struct blocks *blocks)
{
	if (blocks->start > 0) {
		memmove(blocks->buffer, blocks->buffer + blocks->start,
			blocks->end - blocks->start);
		blocks->end -= blocks->start;
		blocks->searched -= blocks->start;
		blocks->start = 0;
	}
	if (blocks->end + BLOCKS_READ_BYTES <= blocks->capacity)
		return 0;
	size_t capacity = blocks->end + BLOCKS_READ_BYTES;
	char *buffer = realloc(blocks->buffer, capacity);
	if (buffer == NULL)
		return -1;
	blocks->buffer = buffer;
	blocks->capacity = capacity;
	return 0;
}

/* Poll together with the stop signals, so that a stop request ends the wait. */
static enum blocks_status
fill(struct blocks *blocks)
{
	if (make_room(blocks) < 0)
		return BLOCKS_ERROR;
	for (;;) {
		if (stop_requested())
			return BLOCKS_STOPPED;
		ssize_t n = read(blocks->fd, blocks->buffer + blocks->end, BLOCKS_READ_BYTES);
		if (n >= 0) {
			blocks->end += (size_t)n;
			blocks->at_end = n == 0;
			return BLOCKS_OK;
		}
		struct pollfd input = {.fd = blocks->fd, .events = POLLIN};
		if (errno == EAGAIN)
			stop_poll(&input, 1, UINT64_MAX);
		else if (errno != EINTR)
			return BLOCKS_ERROR;
	}
}

/* Skip the rest of an oversized line. */
static void
skip(struct blocks *blocks)
{
	char *at = blocks->buffer + blocks->start;
	size_t length = blocks->end - blocks->start;
	char *feed = memchr(at, '\n', length);
	size_t passed = feed != NULL ? (size_t)(feed - at) + 1 : length;
	blocks->start += passed;
	blocks->offset += passed;
	blocks->searched = blocks->start;
	blocks->skipping = feed == NULL;
}

enum blocks_status
blocks_next(struct blocks *blocks, const char **bytes, size_t *length, uint64_t *offset)
{
	/* No buffer yet. */
	if (blocks->capacity == 0) {
		enum blocks_status status = fill(blocks);
		if (status != BLOCKS_OK)
			return status;
	}
	for (;;) {
		if (blocks->skipping)
			skip(blocks);
		char *at = blocks->buffer + blocks->start;
		size_t have = blocks->end - blocks->start;
		size_t fresh = blocks->end - blocks->searched;
		char *feed =
			fresh > 0 ? memrchr(blocks->buffer + blocks->searched, '\n', fresh) : NULL;
		blocks->searched = blocks->end;
		size_t whole = feed != NULL ? (size_t)(feed - at) + 1 : blocks->at_end ? have : 0;
		if (whole > 0) {
			*bytes = at;
			*length = whole;
			*offset = blocks->offset;
			blocks->start += whole;
			blocks->offset += whole;
			return BLOCKS_OK;
		}
		if (blocks->at_end)
			return BLOCKS_END;
		if (have > LINE_RECORD_MAX_BYTES) {
			blocks->skipping = true;
			*bytes = at;
			*length = have;
			*offset = blocks->offset;
			return BLOCKS_OVERSIZED;
		}
		enum blocks_status status = fill(blocks);
		if (status != BLOCKS_OK)
			return status;
	}
}
