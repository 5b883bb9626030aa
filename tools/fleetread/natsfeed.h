/* natsfeed - reads the messages of a fabric from a NATS JetStream stream. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_NATSFEED_H
#define FLEETREAD_NATSFEED_H

#include "../emit/out/natsaddress.h"
#include "../emit/out/natsdial.h"
#include "feed.h"

struct natsfeed {
	struct feed feed;
	struct natsdial dial;
	const struct natsaddress *address;
	natsConnection *connection; /* NULL: not connected */
	jsCtx *stream;
	natsSubscription *subscription;
	uint64_t received; /* messages of this subscription */
	/* Number of the last message, at first the one that was asked for. libnats may begin again
	 * before it: after a break it asks for what follows the last message that it has received,
	 * and for all of them if it has received none. */
	uint64_t read_upto;
	bool does_not_tell; /* the server refuses to say whether there are more */
};

/* Initialise without connecting. `dial` is copied, `address` must outlive the feed. */
void natsfeed_init(
	struct natsfeed *feed, const struct natsdial *dial, const struct natsaddress *address);

#endif
