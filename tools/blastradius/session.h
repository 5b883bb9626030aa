/* session - one run of blastradius: events in, what they share found, and all of them written. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_SESSION_H
#define BLASTRADIUS_SESSION_H

#include "confine.h"
#include "layoutfiles.h"
#include "suspects.h"

struct session_options {
	struct suspects_limits limits; /* but for the times */
	uint64_t within_ns, settle_ns;
	struct layoutfiles files;
	const char *fabric; /* what events call what is not a switch */
	bool live;          /* time goes on by the clock; else everything is read first */
	const char *state_path, *acks_path; /* see outlet.h */
	const char *strategy;
};

/* Returns the exit code. `topology` is what the files have said, and is freed. */
int session_run(const struct session_options *options, struct topology *topology);

#endif
