/* pglink - stores events in a PostgreSQL database in a thread of its own, because libpq blocks
 * during name lookups and handshakes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGLINK_H
#define EMIT_PGLINK_H

#include "courier.h"
#include "pgdial.h"

struct pglink;

/* `dial` is copied, but not its strings. `timeout_ms` limits a round, including the connect. Return
 * NULL if memory runs out. */
struct pglink *pglink_new(const struct pgdial *dial, uint64_t timeout_ms);

/* Start a round: connect if necessary, and let the database store the lines of `text`, from malloc;
 * takes ownership. A failure closes the connection. */
void pglink_begin(struct pglink *link, char *text);

/* Return the courier that runs the rounds and has their results. */
struct courier *pglink_courier(struct pglink *link);

/* Free it. If a round is running, abandon it. `link` may be NULL. */
void pglink_free(struct pglink *link);

#endif
