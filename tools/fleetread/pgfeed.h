/* pgfeed - the events that a database of PostgreSQL stores, in the order of the transactions that
 * have stored them.
 *
 * A number that a table gives its rows would not do: one that is lower may appear later, when its
 * transaction ends. So the number is that of the transaction, and what is read are those below the
 * oldest that has not ended. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_PGFEED_H
#define FLEETREAD_PGFEED_H

#include "../emit/out/pgdial.h"
#include "feed.h"

struct pgfeed {
	struct feed feed;
	struct pgdial dial;
	uint64_t timeout_ms; /* for each answer */
	PGconn *connection;  /* NULL: not connected */
	PGresult *rows;      /* NULL: none are left */
	int next;            /* of them */
	uint64_t after;      /* all up to that number was handed out */
	uint64_t due_ns;     /* when to ask for more, CLOCK_MONOTONIC */
};

/* Not connected. `dial` is kept, as a copy; `url`: for messages. */
void pgfeed_init(
	struct pgfeed *feed, const struct pgdial *dial, uint64_t timeout_ms, const char *url);

#endif
