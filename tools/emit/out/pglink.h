/* pglink - events stored in a database of PostgreSQL, by a thread of its own: libpq looks up names
 * and shakes hands for as long as that takes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGLINK_H
#define EMIT_PGLINK_H

#include "courier.h"
#include "pgdial.h"

struct pglink;

/* `dial` is kept as a copy. `timeout_ms`: for a connection with an answer. NULL when memory ran
 * out. */
struct pglink *pglink_new(const struct pgdial *dial, uint64_t timeout_ms);

/* Begins a round: connects if need be, and has the database store the lines of `text`, from malloc,
 * which is stolen. What fails ends the connection. */
void pglink_begin(struct pglink *link, char *text);

/* Who takes the rounds, and tells what has come of them. */
struct courier *pglink_courier(struct pglink *link);

/* One that is busy goes on by itself, and nobody waits for it. */
void pglink_free(struct pglink *link);

#endif
