/* blocks - reads a log from a file or a pipe in large blocks of whole lines.
 *
 * Files are read, not mapped: reading into a buffer that stays in the cache is faster than the page
 * faults of a mapping (doc/decisions.md). And a log that is truncated meanwhile, as logs are, does
 * not kill the program with SIGBUS. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_BLOCKS_H
#define LOGMATCH_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Size of one read(2): large enough that the cost of the call does not matter, small enough for the
 * second-level cache. */
#define BLOCKS_READ_BYTES ((size_t)128 << 10)

struct blocks {
	int fd;
	char *buffer;
	size_t capacity, start, end; /* pending bytes are buffer[start..end) */
	size_t searched;             /* no line feed among the pending bytes before this index */
	uint64_t offset;             /* of buffer[start] in the input */
	bool at_end, skipping;
};

enum blocks_status {
	BLOCKS_OK,
	BLOCKS_OVERSIZED, /* skipping a line of more than LINE_RECORD_MAX_BYTES */
	BLOCKS_STOPPED,   /* stop requested */
	BLOCKS_END,
	BLOCKS_ERROR, /* see errno */
};

/* Allocates the buffer on first use, not here. */
void blocks_init(struct blocks *blocks, int fd);
void blocks_fini(struct blocks *blocks);

/* Return the next block in `*bytes`: lines with their line feeds (the last line of the input may
 * have none), or the beginning of a skipped line, valid until the next call. `*offset` is the
 * block's offset in the input, or that of a skipped line. Blocks until there is input. */
enum blocks_status blocks_next(
	struct blocks *blocks, const char **bytes, size_t *length, uint64_t *offset);

#endif
