/* natslink - publishes messages to a NATS JetStream stream in a thread of its own, because libnats
 * blocks up to its timeout. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSLINK_H
#define EMIT_NATSLINK_H

#include "courier.h"
#include "natsdial.h"

#include <stdbool.h>
#include <stdint.h>

struct natslink;

/* `dial` is copied, but not its strings; `stream` is kept. `timeout_ms` also limits the wait for
 * acknowledgements. Return NULL if memory runs out. */
struct natslink *natslink_new(const struct natsdial *dial, const char *stream);

/* Add a message to the next round. The server recognises a duplicate by `id`. Copies everything.
 * Not while a round is running. Return 0, or -1 if memory runs out. */
int natslink_add(struct natslink *link, const char *subject, const char *id, const char *text,
	size_t length);

/* Remove the added messages. */
void natslink_clear(struct natslink *link);

/* Start a round: connect if necessary, publish the added messages, and wait until the server has
 * stored them. A failure closes the connection. */
void natslink_begin(struct natslink *link);

/* Return the courier that runs the rounds and has their results. */
struct courier *natslink_courier(struct natslink *link);

/* Free it. If a round is running, abandon it. `link` may be NULL. */
void natslink_free(struct natslink *link);

#endif
