/* feed - the messages of a fabric in a stream of NATS JetStream, in their order and each once, from
 * a number on.
 *
 * The server keeps no account of who has read what: a consumer that lasts would give what was not
 * acknowledged once more behind what is newer, and patterns over time need an order. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NATSREAD_FEED_H
#define NATSREAD_FEED_H

#include "../emit/out/natsaddress.h"
#include "../emit/out/natsdial.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for why something did not work. */
#define FEED_REASON_SIZE (TRUST_PROBLEM_SIZE + 64)

struct feed {
	struct natsdial dial;
	const struct natsaddress *address;
	natsConnection *connection; /* NULL: not connected */
	jsCtx *stream;
	natsSubscription *subscription;
	/* of the stream, when it was looked at last: when it was made, nanoseconds since 1970, and
	 * the numbers of its first and its last message */
	uint64_t created_ns, first, last;
	char reason[FEED_REASON_SIZE]; /* why it is lost */
};

struct feed_message {
	uint64_t number; /* in the stream */
	const char *text;
	size_t length;
	natsMsg *owner;
};

enum feed_status {
	FEED_MESSAGE,
	FEED_NOTHING, /* nothing has come in that time */
	FEED_LOST,    /* `reason` says why; it is closed */
};

/* Not connected. Both are kept, `dial` as a copy. */
void feed_init(struct feed *feed, const struct natsdial *dial, const struct natsaddress *address);

/* Connects, unless it is, and looks at the stream. False with `reason`, and it is closed. */
bool feed_connect(struct feed *feed);

/* Asks for the messages that have a number above `after`, and no longer for any others. False with
 * `reason`, and it is closed. */
bool feed_ask(struct feed *feed, uint64_t after);

/* Waits for the next message for so long. It is to be given back. */
enum feed_status feed_next(struct feed *feed, uint64_t timeout_ms, struct feed_message *out);

void feed_give_back(struct feed_message *message);

void feed_close(struct feed *feed);

#endif
