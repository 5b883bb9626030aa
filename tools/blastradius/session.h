/* session - one run of blastradius: reads events, writes them and the suspected switches. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_SESSION_H
#define BLASTRADIUS_SESSION_H

#include "layoutfiles.h"
#include "suspects.h"

struct session_options {
	struct suspects_limits limits; /* without the times, which follow */
	uint64_t within_ns;            /* how long to collect reports about a place */
	uint64_t settle_ns;            /* how long a place settles after a suspicion */
	struct layoutfiles files;
	const char *fabric; /* name of the fabric in events */
	bool live;          /* the clock drives the time; false: read all input first */
	const char *state_path, *acks_path; /* see outlet.h */
	const char *strategy;
};

/* Run to the end of input or a stop request. Takes over `topology`, which the files filled, and
 * frees it. Return the exit code. */
int session_run(const struct session_options *options, struct topology *topology);

#endif
