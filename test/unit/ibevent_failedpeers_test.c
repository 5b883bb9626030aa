/* Unit tests of ibevent's failedpeers: counting unreachable peers per device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/failedpeers.h"

#include "check.h"
#include "num.h"

#include <arpa/inet.h>

#define S NUM_NS_PER_S

static struct failedpeers peers;

static int
fails(const char *device, unsigned address, uint64_t at_s)
{
	struct traceline_address peer = {.family = AF_INET};
	const uint32_t bytes = htonl(0x0a000000 + address);
	memcpy(&peer.bytes, &bytes, sizeof bytes);
	return (int)failedpeers_note(&peers, device, &peer, at_s * S);
}

static void
distinct(void)
{
	peers = (struct failedpeers){.salt = 7};
	CHECK_INT(fails("m0", 1, 10), 1);
	CHECK_INT(fails("m0", 1, 11), 1);
	CHECK_INT(fails("m0", 2, 12), 2);
	CHECK_INT(fails("m1", 2, 13), 1);
	CHECK_INT(fails("m0", 3, 14), 3);
	CHECK_INT(fails("m1", 2, 15), 1);
}

static void
old(void)
{
	peers = (struct failedpeers){.salt = 7};
	CHECK_INT(fails("m0", 1, 10), 1);
	CHECK_INT(fails("m0", 2, 20), 2);
	CHECK_INT(fails("m0", 3, 70), 2);
	/* A peer that fails again counts as new. */
	CHECK_INT(fails("m0", 2, 79), 2);
	CHECK_INT(fails("m0", 1, 80), 3);
}

static void
many(void)
{
	peers = (struct failedpeers){.salt = 7};
	for (unsigned i = 1; i <= 3 * FAILEDPEERS_MAX; i++)
		CHECK_INT(
			fails("m0", i, 10 + i / 8), i < FAILEDPEERS_MAX ? (int)i : FAILEDPEERS_MAX);
	/* The oldest is evicted for another device's. */
	CHECK_INT(fails("m1", 1, 40), 1);
	CHECK_INT(fails("m0", 3 * FAILEDPEERS_MAX, 40), FAILEDPEERS_MAX - 1);
}

static const struct check_test tests[] = {
	{"a peer counts once, for the device through which it failed", distinct},
	{"after a minute a failure no longer counts", old},
	{"peers beyond the limit do not raise the count", many},
};

CHECK_MAIN(tests)
