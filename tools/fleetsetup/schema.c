/* schema - creates or updates the schema of a PostgreSQL database. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "schema.h"

#include "array.h"
#include "clock.h"
#include "diag.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The files of dist/fleet in order: number, name and text. nic.migration lists the numbers that
 * were applied. */
static const struct migration {
	unsigned number;
	const char *name, *text;
} migrations[] = {
#include "fleet_schema.inc"
};
enum { COUNT = ARRAY_COUNT(migrations) };

struct setup {
	PGconn *connection;
	uint64_t timeout_ms;
	const char *database;
};

/* Run a command and return the result. NULL if it failed, after a message. */
static PGresult *
ask(const struct setup *setup, const char *command, const char *text)
{
	char reason[PGDIAL_REASON_SIZE];
	uint64_t deadline_ns = clock_monotonic_ns() + setup->timeout_ms * NUM_NS_PER_MS;
	PGresult *answer = pgdial_ask(setup->connection, command, text, deadline_ns, reason);
	ExecStatusType status = pqlib.PQresultStatus(answer);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return answer;
	const char *words = pqlib.PQresultErrorField(answer, PG_DIAG_MESSAGE_PRIMARY);
	diag_error("database %s: %s", setup->database, words != NULL ? words : reason);
	pqlib.PQclear(answer);
	return NULL;
}

/* Return the first value of the result as a number. -1 on failure, after a message. */
static long
ask_number(const struct setup *setup, const char *command, const char *text)
{
	PGresult *answer = ask(setup, command, text);
	long number = answer != NULL ? strtol(pqlib.PQgetvalue(answer, 0, 0), NULL, 10) : -1;
	pqlib.PQclear(answer);
	return number;
}

/* Return the number of the last migration applied; 0: none. -1 on failure, after a message. */
static long
applied(const struct setup *setup)
{
	long is_there = ask_number(setup,
		"SELECT count(*) FROM (VALUES (to_regclass($1))) AS v(name) WHERE name IS NOT NULL",
		"nic.migration");
	return is_there != 1 ? is_there
			     : ask_number(setup,
				       "SELECT coalesce(max(number), 0) FROM nic.migration", NULL);
}

/* Apply the missing migrations. Return an exit code. */
static int
migrate(const struct setup *setup)
{
	long number = applied(setup);
	if (number < 0)
		return EXIT_UNAVAILABLE;
	if ((unsigned)number > migrations[COUNT - 1].number) {
		diag_error("database %s: its schema has a newer version: %ld instead of %u",
			setup->database, number, migrations[COUNT - 1].number);
		return EXIT_DATA;
	}
	for (size_t i = 0; i < COUNT; i++) {
		if (migrations[i].number <= (unsigned)number)
			continue;
		/* All commands of one text run in one transaction. */
		PGresult *answer = ask(setup, migrations[i].text, NULL);
		if (answer == NULL)
			return EXIT_UNAVAILABLE;
		pqlib.PQclear(answer);
		printf("database %s: %s applied\n", setup->database, migrations[i].name);
	}
	return 0;
}

/* Set the retention time if one is given, and print it. Return an exit code. */
static int
keep(const struct setup *setup, uint64_t keep_ns)
{
	char text[NUM_U64_SIZE + sizeof " seconds"], kept[NUM_DURATION_SIZE];
	if (keep_ns > 0) {
		snprintf(text, sizeof text, "%" PRIu64 " seconds", keep_ns / NUM_NS_PER_S);
		PGresult *answer = ask(
			setup, "UPDATE nic.setting SET keep = justify_hours($1::interval)", text);
		if (answer == NULL)
			return EXIT_UNAVAILABLE;
		pqlib.PQclear(answer);
	}
	long seconds =
		ask_number(setup, "SELECT extract(epoch FROM keep)::bigint FROM nic.setting", NULL);
	if (seconds < 0)
		return EXIT_UNAVAILABLE;
	num_format_duration((uint64_t)seconds * NUM_NS_PER_S, kept);
	printf("database %s: %s: events are kept for %s\n", setup->database,
		migrations[COUNT - 1].name, kept);
	return 0;
}

/* After a dump was restored into another server, the events have numbers of transactions that the
 * server has yet to reach, and fleetread waits for these. Give such events the number of this
 * transaction. Return an exit code. */
static int
renumber(const struct setup *setup)
{
	long count = ask_number(setup,
		"WITH renumbered AS (UPDATE nic.event SET tx = DEFAULT"
		" WHERE tx >= pg_snapshot_xmax(pg_current_snapshot()) RETURNING 1)"
		" SELECT count(*) FROM renumbered",
		NULL);
	if (count > 0)
		printf("database %s: %ld events of another server renumbered\n", setup->database,
			count);
	return count < 0 ? EXIT_UNAVAILABLE : 0;
}

int
schema_setup(const struct pgdial *dial, uint64_t timeout_ms, uint64_t keep_ns)
{
	char reason[PGDIAL_REASON_SIZE];
	struct setup setup = {.timeout_ms = timeout_ms};
	setup.connection =
		pgdial_connect(dial, clock_monotonic_ns() + timeout_ms * NUM_NS_PER_MS, reason);
	if (setup.connection == NULL) {
		diag_error("%s: %s", dial->host, reason);
		return EXIT_UNAVAILABLE;
	}
	setup.database = pqlib.PQdb(setup.connection);
	/* Another fleetsetup waits for the lock until this connection ends. */
	PGresult *locked = ask(&setup, "SELECT pg_advisory_lock(hashtext($1))", "nic.migration");
	int code = locked != NULL ? migrate(&setup) : EXIT_UNAVAILABLE;
	if (code == 0)
		code = renumber(&setup);
	if (code == 0)
		code = keep(&setup, keep_ns);
	pqlib.PQclear(locked);
	pqlib.PQfinish(setup.connection);
	return code;
}
