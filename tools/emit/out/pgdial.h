/* pgdial - connections to servers of PostgreSQL, by libpq. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGDIAL_H
#define EMIT_PGDIAL_H

#include "pqlib.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* Room for why there is no connection. */
#define PGDIAL_REASON_SIZE TRUST_PROBLEM_SIZE

/* All of it is kept, not copied. */
struct pgdial {
	const char *host; /* or the directory of a socket */
	const char *port;
	const char *database, *user;
	bool has_tls;                    /* the server is who its certificate says */
	const char *server_name;         /* which has this name in it; NULL: `host` */
	const struct trust_files *files; /* the token is a password */
	const char *name;                /* which the server's lists have */
};

/* A connection that does not block, to be ended by PQfinish(). `deadline_ns`: of CLOCK_MONOTONIC.
 * NULL with `reason`. */
PGconn *pgdial_connect(
	const struct pgdial *dial, uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE]);

/* Has the server run one command with one text, $1; or with NULL commands that know none, which are
 * one transaction. What it answers last, to be given back by PQclear(); NULL with `reason` when it
 * does not answer in time, or the connection is lost. */
PGresult *pgdial_ask(PGconn *connection, const char *command, const char *text,
	uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE]);

#endif
