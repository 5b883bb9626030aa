/* acks - the file in which emit says what it has stored (records#acknowledgements):
 * {"version":1,"acks":{"<source>":<seq>, ...},"delivered":{...},"receiver":"<name>"}.
 *
 * Every event of a source up to its seq in "acks" is stored, and is not written again. Up to its
 * seq in "delivered" every sink has it too, and the source need not keep it. What is stored and not
 * delivered can be lost with the spool: then the number in "acks" goes back, and the source writes
 * these events again (arch#nothing-lost).
 *
 * The receiver takes a new name each time it starts. When the name changes, a source writes again
 * what is not acknowledged, since the receiver before may have read it and not stored it.
 *
 * "standing" is emit's own (tools/emit/store/keepsake.h), and nobody else's business. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ACKS_H
#define NHM_ACKS_H

#include "ownfile.h"

#include <jansson.h>
#include <stdint.h>
#include <sys/stat.h>

#define ACKS_VERSION 1
#define ACKS_MAX_BYTES ((size_t)2 << 20)

/* Room for a receiver's name and a NUL. */
#define ACKS_RECEIVER_SIZE 65

struct acks {
	json_t *seqs; /* per source what is acknowledged: an object of integers. What is no seq is
			 left out */
	/* the same of what every sink has; equal to `seqs` if the file does not tell */
	json_t *delivered;
	bool tells_delivered; /* the file tells `delivered` */
	json_t *standing; /* what emit wants to know again if its spool is lost; NULL: nothing */
	char receiver[ACKS_RECEIVER_SIZE]; /* "": not in the file, which means nothing */
};

/* Reads a file; after success, acks_fini() frees it. Returns 0, or -1 with errno: ENOENT when there
 * is no file yet, EBADMSG when it is not what it should be. */
int acks_read(struct acks *acks, const char *path);
void acks_fini(struct acks *acks);

/* What the errno of acks_read() means. */
void acks_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE]);

/* The highest seq of `source` that is acknowledged, 0: none. */
uint64_t acks_seq(const json_t *seqs, const char *source);

/* Replaces the file, with ATOMFILE_MODE. `standing` may be NULL. `receiver` has at most
 * ACKS_RECEIVER_SIZE - 1 bytes. 0, or -1 with errno: EFBIG when nobody would read so long a file,
 * or what atomfile_write() says. */
int acks_write(const char *path, const json_t *seqs, const json_t *delivered,
	const json_t *standing, const char *receiver);

#endif
