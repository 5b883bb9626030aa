/* delivery - the part of a command line that says where events are delivered to, and how. emit has
 * it, and nichist, which sends events again. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_DELIVERY_H
#define EMIT_DELIVERY_H

#include "run.h"

#include "opt.h"

/* What the values below are measured in. */
#define DELIVERY_HOUR_NS (3600 * NUM_NS_PER_S)
#define DELIVERY_DAY_NS (DELIVERY_HOUR_NS * 24)

enum { DELIVERY_OPTIONS_N = 21 };

/* The options, about a struct run_options. Values are kept, not copied. A value that may be a
 * secret is hidden from those who list processes. */
extern const struct opt_spec delivery_options[DELIVERY_OPTIONS_N];

/* What holds when no option is given: no sink yet, no spool, no name of a node. */
void delivery_init(struct run_options *run);

/* Reads addresses that stand in files or in the environment, and checks that the options of each
 * sink go together, once all options are parsed. Warns about files that others may read and should
 * not. Returns NULL, or the reason; `*about` is what that is about, `*code` what to exit with. */
const char *delivery_check(struct run_options *run, const char **about, int *code);

/* Fills in what follows from the rest: this node's name and a sink, where none is named, and a
 * place for conditions, where a sink needs one. */
void delivery_complete(struct run_options *run);

/* Starts and loads what emit itself will not be able to, before it is confined and there are
 * threads. Returns the exit code; a failure has been said. */
int delivery_start(struct run_options *run);

void delivery_fini(struct run_options *run);

#endif
