/* confined - confines emit to the files and ports of its options. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_CONFINED_H
#define EMIT_CONFINED_H

#include "run.h"

/* Give up access to everything but the spool, the inputs (NULL-terminated) and the files of the
 * options: acks, silences, files of sinks, tokens, keys and certificates. If a sink has a host,
 * keep its port, and what name lookups and TLS read. `program` has a row in lib/confine.c. Call it
 * before the first thread. Return 0, or the exit code after reporting the error. */
int confined_enter(const char *program, const struct run_options *options, const char *spool_path,
	char *const *inputs);

#endif
