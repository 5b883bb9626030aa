/* confined - what emit keeps when it gives up all that it does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CONFINED_H
#define EMIT_CONFINED_H

#include "run.h"

/* Gives up all but the spool, the inputs (NULL-terminated), and what the options name: acks, files
 * of sinks, tokens, keys and certificates. A sink on a host also keeps its port, and what name
 * look-ups and TLS read. `program` has a row in lib/confine.c. Call it before the first thread.
 * Returns an exit code; what went wrong has been said. */
int confined_enter(const char *program, const struct run_options *options, const char *spool_path,
	char *const *inputs);

#endif
