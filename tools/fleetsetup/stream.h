/* stream - the stream of NATS JetStream that a fleet's events go through. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETSETUP_STREAM_H
#define FLEETSETUP_STREAM_H

#include "../emit/out/natsdial.h"

#include <stdint.h>

/* 0: as it is; for a stream that is made, as streams of ours are by default. */
struct stream_wanted {
	uint64_t keep_ns;      /* how long an event stays in it */
	uint64_t size_bytes;   /* the oldest go when there are more */
	uint64_t replicas;     /* servers that each have all of it */
	uint64_t duplicate_ns; /* how long it knows an event that comes again */
};

/* Makes the stream, or changes what is there in what is wanted and in the subjects of events, and
 * says on stdout what has become of it. All else of a stream that is there stays. Returns an exit
 * code. spec#fleet-stream */
int stream_setup(const struct natsdial *dial, const char *name, const struct stream_wanted *wanted);

#endif
