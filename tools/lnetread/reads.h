/* reads - splits a stream of bytes into reads (spec#lnet-reads). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_READS_H
#define NHM_LNETREAD_READS_H

#include "header.h"
#include "strbuf.h"

/* Maximum length of a read: room for some 8000 peer NIs of less than 2 KiB each. */
#define READS_MAX_BYTES ((size_t)16 << 20)

/* One read. */
struct read {
	const char *text; /* including its header lines, if any */
	size_t length;
	/* HEADER_BEGIN; HEADER_NONE: no header; HEADER_MALFORMED: a header without valid times */
	enum header_status header;
	struct clock_moment when; /* for HEADER_BEGIN */
	bool is_cut; /* the end line of a read with a header, or the last newline, is missing */
	bool is_too_long; /* longer than READS_MAX_BYTES: `text` is empty */
};

enum reads_status {
	READS_OK,
	READS_END,
	READS_ERROR, /* read(2) failed or memory ran out; see errno */
};

/* All fields are private to reads.c. */
struct reads {
	int fd;
	struct strbuf text; /* the current read, and bytes read after it */
	size_t used;        /* bytes of `text` that belong to the read returned last */
	size_t scanned;     /* bytes of `text` that are known to be lines of the current read */
	bool at_end, any;   /* the input has ended; a read was returned */
	bool is_empty;      /* the current read has only blank lines so far */
	struct read read;   /* the current read, as far as it is known */
};

/* Prepare to read `fd`, which stays the caller's. */
void reads_init(struct reads *reads, int fd);

void reads_fini(struct reads *reads);

/* Wait until the next read is complete or cut, and return it. `*read` stays valid until the next
 * call. An empty input gives one empty read. */
enum reads_status reads_next(struct reads *reads, struct read *read);

#endif
