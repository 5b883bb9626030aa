/* delivery - the options about sinks, shared by emit and nichist, which sends events again. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_DELIVERY_H
#define EMIT_DELIVERY_H

#include "run.h"

#include "opt.h"

/* Units of durations. */
#define DELIVERY_HOUR_NS (3600 * NUM_NS_PER_S)
#define DELIVERY_DAY_NS (DELIVERY_HOUR_NS * 24)

enum { DELIVERY_OPTIONS_N = 21 };

/* Options for a struct run_options. Values are kept, not copied. A value that may be a secret is
 * overwritten, to hide it from ps(1). */
extern const struct opt_spec delivery_options[DELIVERY_OPTIONS_N];

/* Set the defaults: no sink, no spool, no node name. */
void delivery_init(struct run_options *run);

/* Call it after all options: read addresses from files and the environment, and check that each
 * sink's options are consistent. Return NULL or the reason of an error; `*about` is its subject,
 * `*code` the exit code. */
const char *delivery_check(struct run_options *run, const char **about, int *code);

/* Fill in what is missing: the node's name, a sink (stdout), and a spool in memory if a sink needs
 * conditions. Warn about secret files that other users can read. Return 0, or the exit code after
 * reporting an invalid $NODE_NAME, or a file of a sink that others could have changed. */
int delivery_complete(struct run_options *run);

/* Load libraries and start processes, before emit is confined and starts threads. Return 0, or the
 * exit code after reporting the error. */
int delivery_start(struct run_options *run);

void delivery_fini(struct run_options *run);

#endif
