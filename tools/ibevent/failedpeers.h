/* failedpeers - how many peers could not be reached through a device of late. Of a peer only a hash
 * of its address is kept, with a salt that each process draws anew. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_FAILEDPEERS_H
#define IBEVENT_FAILEDPEERS_H

#include "notice.h"
#include "traceline.h"

/* How long a failure counts. */
#define FAILEDPEERS_WINDOW_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* Peers that are kept, of all devices together; those that failed longest ago make room. */
#define FAILEDPEERS_MAX 64

struct failedpeers_entry {
	char device[NOTICE_DEVICE_SIZE];
	uint64_t hash;
	uint64_t failed_ns; /* CLOCK_MONOTONIC: the last time */
};

/* All zeros, and a salt. */
struct failedpeers {
	uint64_t salt;
	struct failedpeers_entry entries[FAILEDPEERS_MAX];
	size_t count;
};

/* A peer could not be reached through the device. Returns how many could not be, with this one,
 * within FAILEDPEERS_WINDOW_NS. Times do not go back. */
uint32_t failedpeers_note(struct failedpeers *peers, const char *device,
	const struct traceline_address *peer, uint64_t now_ns);

#endif
