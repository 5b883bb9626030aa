/* statecounters - what a state file says of counters: snapshots, breaches and saturations. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATECOUNTERS_H
#define CTREVAL_STATECOUNTERS_H

#include "section.h"

/* Which counter: the parts of a key, <device>:<port>:<counter>. */
struct counter_key {
	char device[STATE_NAME_SIZE];
	long long port;
	const char *name; /* inside the key */
};

/* Each counter under its key; ports are to be read before. */
extern const struct section statecounters_snapshots, statecounters_breaches,
	statecounters_saturations;

/* The snapshot of a counter that has no port yet: only where it began. NULL: there is none. */
json_t *statecounters_snapshot_new(struct encoder *encoder, const struct counter_memory *memory);
int statecounters_read_snapshot(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory);

/* A breach; without `memory` nobody watches its counter. */
json_t *statecounters_flag_new(struct encoder *encoder, const struct breach *breach);
int statecounters_read_breach(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory);

#endif
