/* blocks - a log out of a file or a pipe, in large pieces of whole lines.
 *
 * Files are read, not mapped: reading into a buffer that stays in the cache is faster than the page
 * faults of a mapping (doc/decisions.md), and a file that is cut short meanwhile, as logs are, does
 * not end the program with SIGBUS. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_BLOCKS_H
#define LOGMATCH_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is asked of read(2) at once: large enough for its price not to matter, small enough for the
 * second-level cache. */
#define BLOCKS_READ_BYTES ((size_t)128 << 10)

struct blocks {
	int fd;
	char *buffer;
	size_t capacity, start, end; /* bytes not handed out yet are buffer[start..end) */
	size_t searched;             /* of these, bytes known to hold no line feed end here */
	uint64_t offset;             /* of buffer[start] in the input */
	bool at_end, skipping;
};

enum blocks_status {
	BLOCKS_OK,
	BLOCKS_OVERSIZED, /* a line of more than LINE_RECORD_MAX_BYTES is passed over */
	BLOCKS_STOPPED,   /* a request to stop came */
	BLOCKS_END,
	BLOCKS_ERROR, /* see errno */
};

/* Memory is taken on first use. */
void blocks_init(struct blocks *blocks, int fd);
void blocks_fini(struct blocks *blocks);

/* The next piece: lines with their line feeds (the last of the input may have none), valid until
 * the next call; its offset in the input is in `*offset`, as is that of a line that is passed over.
 * Waits for input. */
enum blocks_status blocks_next(
	struct blocks *blocks, const char **bytes, size_t *length, uint64_t *offset);

#endif
