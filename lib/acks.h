/* acks - reads and writes the acks file, in which emit acknowledges stored events
 * (records#acknowledgements):
 * {"version":1,"acks":{"<source>":<seq>, ...},"delivered":{...},"receiver":"<name>"}.
 *
 * Every event of a source up to its seq in "acks" is stored, and the source does not write it
 * again. Every event up to its seq in "delivered" has reached every sink, and the source may forget
 * it. Events that are stored but not delivered are lost if the spool is lost: then the seq in
 * "acks" goes back, and the source writes these events again (arch#nothing-lost).
 *
 * The receiver chooses a new name at each start. When the name changes, a source writes its
 * unacknowledged events again: the previous receiver may have read them without storing them.
 *
 * Only emit uses "standing" (tools/emit/store/keepsake.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ACKS_H
#define NHM_ACKS_H

#include "ownfile.h"

#include <jansson.h>
#include <stdint.h>
#include <sys/stat.h>

#define ACKS_VERSION 1
#define ACKS_MAX_BYTES ((size_t)2 << 20)

/* Room for a receiver's name and a NUL, bytes. */
#define ACKS_RECEIVER_SIZE 65

struct acks {
	json_t *seqs; /* acknowledged seq per source, without invalid entries */
	/* the same for events that every sink has; equal to `seqs` if the file has no
	 * "delivered" */
	json_t *delivered;
	bool tells_delivered; /* the file has "delivered" */
	json_t *standing;     /* emit's state, kept in case its spool is lost; NULL: none */
	char receiver[ACKS_RECEIVER_SIZE]; /* "": not in the file */
};

/* Read a file; free the result with acks_fini(). Return 0, or -1 with errno: ENOENT if there is no
 * file yet, EBADMSG if it is not a valid acks file. */
int acks_read(struct acks *acks, const char *path);
void acks_fini(struct acks *acks);

/* Write a message for the errno of acks_read() to `reason`. */
void acks_explain(const char *path, int error, char reason[OWNFILE_REASON_SIZE]);

/* Return the highest acknowledged seq of `source`, or 0 if there is none. */
uint64_t acks_seq(const json_t *seqs, const char *source);

/* Replace the file, with mode ATOMFILE_MODE. `standing` may be NULL. `receiver` has at most
 * ACKS_RECEIVER_SIZE - 1 bytes. Return 0, or -1 with errno: EFBIG if the file would be too long for
 * acks_read(), or an errno of atomfile_write(). */
int acks_write(const char *path, const json_t *seqs, const json_t *delivered,
	const json_t *standing, const char *receiver);

#endif
