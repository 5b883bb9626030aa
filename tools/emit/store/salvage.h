/* salvage - what can still be read of a spool that is broken, taken over into the new one. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SALVAGE_H
#define EMIT_SALVAGE_H

#include "spool.h"

struct salvage {
	uint64_t events;      /* taken over */
	uint64_t last_number; /* highest of theirs, and of those that a sink has */
	bool whole;           /* nothing was left that could not be read */
};

/* Reads the spool at `path`, which is left as it is, and adds its events, with their numbers, and
 * its sinks' positions to `spool`, which is open and has none but those of an attempt that failed.
 * The status is that of `spool`. */
enum database_status salvage_run(const char *path, struct spool *spool, struct salvage *salvage);

#endif
