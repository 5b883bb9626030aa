/* pgdial - connects to PostgreSQL servers by libpq. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGDIAL_H
#define EMIT_PGDIAL_H

#include "pqlib.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* Size of the reason of a failure. */
#define PGDIAL_REASON_SIZE TRUST_PROBLEM_SIZE

/* All pointers are kept, not copied. */
struct pgdial {
	const char *host; /* or the directory of a Unix socket */
	const char *port;
	const char *database, *user;
	bool has_tls;                    /* verify the name in the server's certificate */
	const char *server_name;         /* that name; NULL: `host` */
	const struct trust_files *files; /* the token file holds a password */
	const char *name;                /* application name in the server's lists */
	bool only_reads;                 /* accept sessions that may not write, and standbys */
};

/* Return a non-blocking connection, for PQfinish(), or NULL with `reason`. `deadline_ns`:
 * CLOCK_MONOTONIC. */
PGconn *pgdial_connect(
	const struct pgdial *dial, uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE]);

/* Run one command with one string as $1; or, if `text` is NULL, commands without parameters in one
 * transaction. Return the last result, for PQclear(), or NULL with `reason` if there is no response
 * in time or the connection is lost. */
PGresult *pgdial_ask(PGconn *connection, const char *command, const char *text,
	uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE]);

#endif
