/* reads - a stream of bytes as the reads in it (spec#lnet-reads). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_READS_H
#define NHM_LNETREAD_READS_H

#include "header.h"
#include "strbuf.h"

/* The longest read: a peer NI takes less than 2 KiB, so this is some 8000 of them. */
#define READS_MAX_BYTES ((size_t)16 << 20)

/* One read. */
struct read {
	const char *text; /* with its lines of header, if it has them */
	size_t length;
	/* HEADER_NONE: it has no line that begins it; HEADER_MALFORMED: and no times */
	enum header_status header;
	struct clock_moment when; /* for HEADER_BEGIN */
	bool is_cut;              /* its end, which belongs to a header, or a line's, is missing */
	bool is_too_long;         /* more than READS_MAX_BYTES: there is no text */
};

enum reads_status {
	READS_OK,
	READS_END,
	READS_ERROR, /* read(2) failed or memory ran out, see errno */
};

/* All fields are private to reads.c. */
struct reads {
	int fd;
	struct strbuf text; /* of the read that has begun, and what was read after it */
	size_t used;        /* of these, bytes that belong to the read handed out last */
	size_t scanned;     /* bytes that hold no line but the read's own */
	bool at_end, any;   /* of the input; a read was handed out */
	bool is_empty;      /* nothing but blank lines so far */
	struct read read;   /* what is known of it so far */
};

/* Prepares `reads` for `fd`, which stays the caller's. */
void reads_init(struct reads *reads, int fd);

/* Frees the memory. */
void reads_fini(struct reads *reads);

/* Waits for the next read to be whole, or cut. `*read` stays valid until the next call. An input
 * without anything in it is one read, which is empty. */
enum reads_status reads_next(struct reads *reads, struct read *read);

#endif
