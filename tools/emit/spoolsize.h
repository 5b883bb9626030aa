/* spoolsize - how much there is in the spool, which is open. */
#ifndef EMIT_SPOOLSIZE_H
#define EMIT_SPOOLSIZE_H

#include "spool.h"

/* What is behind a number. */
struct owed {
	uint64_t events;
	uint64_t
		oldest_ns; /* when the first of them came, nanoseconds since 1970; 0: there is none */
};

enum database_status spoolsize_owed(struct spool *spool, uint64_t after, struct owed *out);

/* Bytes of the file, without what is free in it. */
enum database_status spoolsize_used_bytes(struct spool *spool, uint64_t *out);

/* Dead letters. */
enum database_status spoolsize_letters(struct spool *spool, uint64_t *out);

#endif
