/* pgfeed - reads the events stored in a PostgreSQL database, in the order of their transactions.
 *
 * A serial number per row is not enough: a row with a lower number may become visible later, when
 * its transaction commits. So the transaction id is the number, and only transactions older than
 * the oldest one in progress are read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETREAD_PGFEED_H
#define FLEETREAD_PGFEED_H

#include "../emit/out/pgdial.h"
#include "feed.h"

struct pgfeed {
	struct feed feed;
	struct pgdial dial;
	uint64_t timeout_ms; /* per query */
	PGconn *connection;  /* NULL: not connected */
	PGresult *rows;      /* NULL: none left */
	int next;            /* index of the next row */
	uint64_t after;      /* all numbers up to this one were returned */
	uint64_t due_ns;     /* time of the next query, CLOCK_MONOTONIC */
};

/* Initialise without connecting. `dial` is copied; `url` is for messages and must outlive the
 * feed. */
void pgfeed_init(
	struct pgfeed *feed, const struct pgdial *dial, uint64_t timeout_ms, const char *url);

#endif
