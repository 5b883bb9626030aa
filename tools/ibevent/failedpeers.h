/* failedpeers - counts the peers that recently could not be reached through a device. Stores only a
 * hash of a peer's address, with a salt that each process draws anew. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_FAILEDPEERS_H
#define IBEVENT_FAILEDPEERS_H

#include "notice.h"
#include "num.h"
#include "traceline.h"

/* How long a failure counts, ns. */
#define FAILEDPEERS_WINDOW_NS (60 * NUM_NS_PER_S)

/* Peers stored for all devices together; a new one replaces the one that failed longest ago. */
#define FAILEDPEERS_MAX 64

struct failedpeers_entry {
	char device[NOTICE_DEVICE_SIZE];
	uint64_t hash;
	uint64_t failed_ns; /* last failure, CLOCK_MONOTONIC */
};

/* Initialize to zero, then set salt. */
struct failedpeers {
	uint64_t salt;
	struct failedpeers_entry entries[FAILEDPEERS_MAX];
	size_t count;
};

/* Record that a peer could not be reached through the device. Return how many peers of the device,
 * including this one, failed within FAILEDPEERS_WINDOW_NS. `now_ns` must not decrease. */
uint32_t failedpeers_note(struct failedpeers *peers, const char *device,
	const struct traceline_address *peer, uint64_t now_ns);

#endif
