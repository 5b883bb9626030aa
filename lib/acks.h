/* acks - the file in which emit says what it has stored: {"version":1,"acks":{"<source>":<seq>, ...},"receiver":"<name>"}.
 *
 * Every event of a source up to its seq is stored; the source need not keep it any longer (ARCHITECTURE.md, "Nothing is lost"). The receiver has a new name each time it
 * starts: what another one had read and not acknowledged is to be written again. */
#ifndef NHM_ACKS_H
#define NHM_ACKS_H

#include <jansson.h>
#include <stdint.h>

#define ACKS_VERSION 1
#define ACKS_MAX_BYTES ((size_t)1 << 20)

/* Room for a receiver's name and a NUL. */
#define ACKS_RECEIVER_SIZE 65

struct acks {
	json_t *seqs; /* per source what is acknowledged: an object of integers */
	char receiver[ACKS_RECEIVER_SIZE]; /* "": it does not say, and that means nothing */
};

/* Reads a file; acks_fini() when that has succeeded. 0, or -1 with errno: ENOENT when there is no file yet, EBADMSG when it is not what it should be. */
int acks_read(struct acks *acks, const char *path);
void acks_fini(struct acks *acks);

/* The highest seq of `source` that is acknowledged, 0: none. */
uint64_t acks_seq(const json_t *seqs, const char *source);

/* Replaces the file, with ATOMFILE_MODE. `receiver` has at most ACKS_RECEIVER_SIZE - 1 bytes. 0, or -1 with errno: EFBIG when nobody would read so long a file, or what
 * atomfile_write() says. */
int acks_write(const char *path, const json_t *seqs, const char *receiver);

#endif
