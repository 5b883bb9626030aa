/* natslink - messages published to a stream of NATS JetStream, by a thread of its own: libnats may
 * wait for a server for as long as it is told to. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSLINK_H
#define EMIT_NATSLINK_H

#include "courier.h"
#include "natsdial.h"

#include <stdbool.h>
#include <stdint.h>

struct natslink;

/* Both are kept, `dial` as a copy. `timeout_ms` is for an answer, too. NULL when memory ran out. */
struct natslink *natslink_new(const struct natsdial *dial, const char *stream);

/* Another message of the next round. `id`: what the server knows it by when it comes again. Copies
 * all. 0, or -1 when memory ran out. Not while a round is under way. */
int natslink_add(struct natslink *link, const char *subject, const char *id, const char *text,
	size_t length);

/* Forgets what was added. */
void natslink_clear(struct natslink *link);

/* Begins a round: connects if need be, publishes all that was added, and waits until the server has
 * stored it. What fails ends the connection. */
void natslink_begin(struct natslink *link);

/* Who takes the rounds, and tells what has come of them. */
struct courier *natslink_courier(struct natslink *link);

/* One that is busy goes on by itself, and nobody waits for it. */
void natslink_free(struct natslink *link);

#endif
