/* pglink - events stored in a database of PostgreSQL, by a thread of its own: libpq looks up names
 * and shakes hands for as long as that takes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGLINK_H
#define EMIT_PGLINK_H

#include "courier.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

struct pglink;

/* All of it is kept, not copied. */
struct pglink_target {
	const char *host; /* or the directory of a socket */
	const char *port;
	const char *database, *user; /* NULL: as libpq does */
	bool has_tls;
	const struct trust_files *files; /* the token is a password */
	uint64_t timeout_ms;             /* for a connection, and for an answer */
};

/* NULL when memory ran out. */
struct pglink *pglink_new(const struct pglink_target *target);

/* Begins a round: connects if need be, and has the database store the lines of `text`, from malloc,
 * which is stolen. What fails ends the connection. */
void pglink_begin(struct pglink *link, char *text);

/* Who takes the rounds, and tells what has come of them. */
struct courier *pglink_courier(struct pglink *link);

/* One that is busy goes on by itself, and nobody waits for it. */
void pglink_free(struct pglink *link);

#endif
