/* retention - how long events stay in the spool: as long as they are owed, and then as history
 * (spec#retention). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RETENTION_H
#define EMIT_RETENTION_H

#include "spool.h"

struct retention {
	uint64_t keep_ns;   /* delivered events are kept so long */
	uint64_t max_bytes; /* of the file, without what is free in it */
};

/* What one round has dropped. */
struct retention_loss {
	uint64_t undelivered; /* events that some sink never got */
	bool overfull;        /* only fatal ones are left, and they are kept beyond the limit */
	bool more; /* there is more to do: rounds are short, so that nobody waits for one */
};

/* One round. `delivered`: every sink has everything up to this number. `now_ns` since 1970. */
enum database_status retention_run(struct spool *spool, const struct retention *retention,
	uint64_t delivered, uint64_t now_ns, struct retention_loss *loss);

#endif
