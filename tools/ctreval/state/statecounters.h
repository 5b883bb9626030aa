/* statecounters - snapshots, breaches and saturations of counters in the state file. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATECOUNTERS_H
#define CTREVAL_STATECOUNTERS_H

#include "section.h"

/* The parts of a key <device>:<port>:<counter>. */
struct counter_key {
	char device[STATE_NAME_SIZE];
	long long port;
	const char *name; /* points into the key */
};

/* Sections with one item per counter. Decode the ports first. */
extern const struct section statecounters_snapshots, statecounters_breaches,
	statecounters_saturations;

/* These encode an object without its braces. The readers return 0, or -1 with the decoder's
 * error. */

/* Encode and decode the snapshot of a counter, here also for counters whose port is unknown.
 * Encoding omits the name of the file that was read. */
void statecounters_encode_snapshot(struct encoder *encoder, const struct counter_memory *memory);
int statecounters_read_snapshot(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory);

/* Encode and decode a breach. `memory` is NULL if the counter is not watched: the breach then
 * becomes an orphan. */
void statecounters_encode_breach(struct encoder *encoder, const struct breach *breach);
int statecounters_read_breach(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory);

#endif
