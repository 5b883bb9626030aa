/* retention - drops events from the spool: delivered ones when they are old, others when it is full
 * (spec#retention). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RETENTION_H
#define EMIT_RETENTION_H

#include "spool.h"

struct retention {
	uint64_t keep_ns;   /* keep delivered events for this long */
	uint64_t max_bytes; /* limit of the file without its free pages */
};

/* Result of one round. */
struct retention_loss {
	uint64_t undelivered; /* dropped events that some sink never got */
	bool overfull;        /* only fatal events are left, which may exceed the limit */
	bool more;            /* another round is needed; rounds are short, to delay nothing */
};

/* Run one round. `delivered`: every sink has the events up to this number. `now_ns` since 1970. */
enum database_status retention_run(struct spool *spool, const struct retention *retention,
	uint64_t delivered, uint64_t now_ns, struct retention_loss *loss);

#endif
