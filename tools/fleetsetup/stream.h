/* stream - creates or updates the NATS JetStream stream of a fleet's events. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETSETUP_STREAM_H
#define FLEETSETUP_STREAM_H

#include "../emit/out/natsdial.h"

#include <stdint.h>

/* 0: unchanged, or the default in a new stream. */
struct stream_wanted {
	uint64_t keep_ns;      /* retention time of an event */
	uint64_t size_bytes;   /* when exceeded, the oldest events are deleted */
	uint64_t replicas;     /* servers with a full copy */
	uint64_t duplicate_ns; /* how long repeated events are recognised */
};

/* Create the stream, or update its wanted settings and its subjects, and report the result on
 * stdout. Other settings of an existing stream stay. Return an exit code. spec#fleet-stream */
int stream_setup(const struct natsdial *dial, const char *name, const struct stream_wanted *wanted);

#endif
