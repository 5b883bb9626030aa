/* pglink - stores events in a PostgreSQL database in a thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pglink.h"

#include "array.h"
#include "clock.h"
#include "num.h"

#include <stdlib.h>
#include <string.h>

struct pglink {
	struct pgdial dial;
	uint64_t timeout_ms;
	struct courier courier;
	char *text;
	/* Only for the thread while a round is running. */
	PGconn *connection;
};

/* --- in the thread --- */

static void
disconnect(struct pglink *link)
{
	pqlib.PQfinish(link->connection);
	link->connection = NULL;
}

/* Errors about the data (these SQLSTATE classes) are permanent. */
static enum verdict
verdict_of(const char *state)
{
	static const char *const data[] = {"22", "23", "54"};
	for (size_t i = 0; state != NULL && i < ARRAY_COUNT(data); i++)
		if (strncmp(state, data[i], 2) == 0)
			return VERDICT_REFUSED;
	return VERDICT_RETRY;
}

static void
accept_answer(struct pglink *link, const PGresult *answer)
{
	const char *words = pqlib.PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
	if (pqlib.PQresultStatus(answer) == PGRES_TUPLES_OK)
		return;
	courier_note(&link->courier, verdict_of(pqlib.PQresultErrorField(answer, PG_DIAG_SQLSTATE)),
		"not stored", words != NULL ? words : pqlib.PQresultErrorMessage(answer));
}

static void
run_round(void *context)
{
	struct pglink *link = context;
	uint64_t deadline_ns = clock_monotonic_ns() + link->timeout_ms * NUM_NS_PER_MS;
	char reason[PGDIAL_REASON_SIZE];
	PGresult *answer = NULL;
	if (pqlib.PQstatus(link->connection) != CONNECTION_OK) {
		disconnect(link);
		link->connection = pgdial_connect(&link->dial, deadline_ns, reason);
	}
	if (link->connection != NULL)
		answer = pgdial_ask(
			link->connection, "SELECT nic.store($1)", link->text, deadline_ns, reason);
	if (answer != NULL)
		accept_answer(link, answer);
	else
		courier_note(&link->courier, VERDICT_RETRY, reason, NULL);
	pqlib.PQclear(answer);
	if (courier_failed(&link->courier))
		disconnect(link);
}

/* --- for the loop --- */

struct pglink *
pglink_new(const struct pgdial *dial, uint64_t timeout_ms)
{
	struct pglink *link = calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	link->dial = *dial;
	link->timeout_ms = timeout_ms;
	if (courier_init(&link->courier) < 0) {
		free(link);
		return NULL;
	}
	return link;
}

void
pglink_begin(struct pglink *link, char *text)
{
	free(link->text);
	link->text = text;
	courier_begin(&link->courier, run_round, link);
}

struct courier *
pglink_courier(struct pglink *link)
{
	return &link->courier;
}

void
pglink_free(struct pglink *link)
{
	if (link == NULL || courier_is_busy(&link->courier))
		return;
	courier_fini(&link->courier);
	disconnect(link);
	free(link->text);
	free(link);
}
