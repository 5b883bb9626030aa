/* session - one run of fleetread: messages in, records and marks out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_SESSION_H
#define FLEETREAD_SESSION_H

#include "feed.h"

enum session_from { SESSION_FROM_ALL, SESSION_FROM_NEW, SESSION_FROM_N };

struct session_options {
	/* where its receiver says what it has stored; NULL: no marks are written */
	const char *acks_path;
	enum session_from from; /* where it begins if the acks say nothing */
};

/* Reads `feed`, which it closes at the end, until it is asked to stop, or nobody reads what it
 * writes. Returns the exit code. */
int session_run(const struct session_options *options, struct feed *feed);

#endif
