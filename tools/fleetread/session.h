/* session - one run of fleetread: messages in, records and marks out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_SESSION_H
#define FLEETREAD_SESSION_H

#include "feed.h"

enum session_from { SESSION_FROM_ALL, SESSION_FROM_NEW, SESSION_FROM_N };

struct session_options {
	/* file in which the receiver acknowledges events; NULL: write no marks */
	const char *acks_path;
	enum session_from from; /* start position if the acks have none */
};

/* Read `feed` until a stop request or until stdout has no reader, then close it. Return the exit
 * code. */
int session_run(const struct session_options *options, struct feed *feed);

#endif
