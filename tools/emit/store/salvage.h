/* salvage - imports what is readable of a broken spool into a new one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SALVAGE_H
#define EMIT_SALVAGE_H

#include "spool.h"

struct salvage {
	uint64_t events;      /* imported */
	uint64_t last_number; /* highest of their numbers and of the sinks' positions */
	bool whole;           /* everything could be read */
};

/* Import the events, with their numbers, and the sinks' positions of the spool at `path`, which is
 * not changed, into `spool`. `spool` is open and has no events except those of a failed attempt.
 * The status is about `spool`. */
enum database_status salvage_run(const char *path, struct spool *spool, struct salvage *salvage);

#endif
