/* pgfeed - reads the events stored in a PostgreSQL database. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pgfeed.h"

#include "clock.h"
#include "num.h"
#include "stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Rows per query, plus the rest of the last row's transaction. */
#define ROWS 1000
#define ROWS_TEXT "1000"

/* Poll interval when no more rows are available. */
#define ASK_NS (NUM_NS_PER_S / 2)

/* Identity of the database, independent of its name, the oldest transaction in progress, whether
 * the schema is there, and whether the server is a standby. */
static const char look_sql[] =
	"SELECT system_identifier, oid, pg_snapshot_xmin(pg_current_snapshot()),"
	" to_regclass('nic.event'), pg_is_in_recovery() FROM pg_control_system(), pg_database"
	" WHERE datname = current_database()";

/* Ties are rows with the same values of all that the query orders by: of the transaction alone, so
 * that its rows are not cut. */
static const char read_sql[] =
	"SELECT tx, record FROM (SELECT tx, stored, source, seq, record FROM nic.event"
	" WHERE tx > $1::xid8 AND tx < pg_snapshot_xmin(pg_current_snapshot())"
	" ORDER BY tx FETCH FIRST " ROWS_TEXT " ROWS WITH TIES) AS part"
	" ORDER BY tx, stored, source, seq";

static struct pgfeed *
of(struct feed *feed)
{
	return (struct pgfeed *)feed;
}

static void
drop_rows(struct pgfeed *own)
{
	pqlib.PQclear(own->rows);
	own->rows = NULL;
}

static void
close_feed(struct feed *feed)
{
	struct pgfeed *own = of(feed);
	drop_rows(own);
	pqlib.PQfinish(own->connection);
	own->connection = NULL;
}

/* Return the rows of a query, or NULL if the feed was lost. */
static PGresult *
query(struct pgfeed *own, const char *sql, const char *text)
{
	char reason[PGDIAL_REASON_SIZE];
	uint64_t deadline_ns = clock_monotonic_ns() + own->timeout_ms * NUM_NS_PER_MS;
	PGresult *rows = pgdial_ask(own->connection, sql, text, deadline_ns, reason);
	if (rows != NULL && pqlib.PQresultStatus(rows) == PGRES_TUPLES_OK)
		return rows;
	const char *words = pqlib.PQresultErrorField(rows, PG_DIAG_MESSAGE_PRIMARY);
	feed_lose(&own->feed, "cannot read the database", words != NULL ? words : reason);
	pqlib.PQclear(rows);
	return NULL;
}

static uint64_t
number_at(const PGresult *rows, int row, int column)
{
	return strtoull(pqlib.PQgetvalue(rows, row, column), NULL, 10);
}

static bool
look(struct pgfeed *own)
{
	struct feed *feed = &own->feed;
	PGresult *rows = query(own, look_sql, NULL);
	if (rows == NULL)
		return false;
	bool is_set_up = pqlib.PQntuples(rows) == 1 && !pqlib.PQgetisnull(rows, 0, 3);
	bool is_standby = is_set_up && *pqlib.PQgetvalue(rows, 0, 4) == 't';
	if (is_set_up) {
		snprintf(feed->source, sizeof feed->source, "postgresql-%s-%s",
			pqlib.PQgetvalue(rows, 0, 0), pqlib.PQgetvalue(rows, 0, 1));
		feed->last = number_at(rows, 0, 2) - 1;
	}
	pqlib.PQclear(rows);
	/* A standby may be behind what was read, which looks like a restored backup. */
	if (is_standby)
		return feed_lose(feed, "cannot read the database", "it is a standby");
	return is_set_up || feed_lose(feed, "cannot read the database", "fleetsetup has not run");
}

static bool
connect_feed(struct feed *feed)
{
	char reason[PGDIAL_REASON_SIZE];
	struct pgfeed *own = of(feed);
	uint64_t deadline_ns = clock_monotonic_ns() + own->timeout_ms * NUM_NS_PER_MS;
	if (own->connection == NULL)
		own->connection = pgdial_connect(&own->dial, deadline_ns, reason);
	if (own->connection != NULL)
		return look(own);
	/* pgdial_connect() gives a complete reason. */
	snprintf(feed->reason, sizeof feed->reason, "%s", reason);
	return false;
}

static bool
ask(struct feed *feed, uint64_t after)
{
	struct pgfeed *own = of(feed);
	drop_rows(own);
	own->after = after;
	own->due_ns = 0;
	feed->is_reading = true;
	return true;
}

/* Fetch the rows available. Return false if the feed was lost. */
static bool
fetch(struct pgfeed *own)
{
	char after[NUM_U64_SIZE];
	snprintf(after, sizeof after, "%" PRIu64, own->after);
	own->rows = query(own, read_sql, after);
	if (own->rows == NULL)
		return false;
	own->next = 0;
	own->due_ns = pqlib.PQntuples(own->rows) < ROWS ? clock_monotonic_ns() + ASK_NS : 0;
	if (pqlib.PQntuples(own->rows) == 0)
		drop_rows(own);
	return true;
}

static enum feed_status
next(struct feed *feed, uint64_t timeout_ms, struct feed_message *out)
{
	struct pgfeed *own = of(feed);
	uint64_t now_ns = clock_monotonic_ns();
	if (own->rows == NULL && now_ns < own->due_ns) {
		stop_poll(NULL, 0, clock_earlier(own->due_ns - now_ns, timeout_ms * NUM_NS_PER_MS));
		if (clock_monotonic_ns() < own->due_ns)
			return FEED_NOTHING;
	}
	if (own->rows == NULL && !fetch(own))
		return FEED_LOST;
	if (own->rows == NULL)
		return FEED_NOTHING;
	int row = own->next++;
	bool is_last = own->next == pqlib.PQntuples(own->rows);
	uint64_t number = number_at(own->rows, row, 0);
	/* All rows of a transaction have its number, so the number is read only when all of them
	 * are. */
	if (is_last || number_at(own->rows, own->next, 0) != number)
		own->after = number;
	*out = (struct feed_message){.number = number,
		.upto = own->after,
		.text = pqlib.PQgetvalue(own->rows, row, 1),
		.length = (size_t)pqlib.PQgetlength(own->rows, row, 1),
		.owner = is_last ? own : NULL};
	return FEED_MESSAGE;
}

static void
give_back(struct feed_message *message)
{
	if (message->owner != NULL)
		drop_rows(message->owner);
}

static const struct feed_kind kind = {
	.connect = connect_feed,
	.ask = ask,
	.next = next,
	.give_back = give_back,
	.close = close_feed,
};

void
pgfeed_init(struct pgfeed *feed, const struct pgdial *dial, uint64_t timeout_ms, const char *url)
{
	*feed = (struct pgfeed){
		.feed = {.kind = &kind, .url = url}, .dial = *dial, .timeout_ms = timeout_ms};
	snprintf(feed->feed.name, sizeof feed->feed.name, "database %s", dial->database);
}
