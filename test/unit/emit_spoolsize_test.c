/* Unit tests of emit's spoolsize: the number of events and bytes in the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/spool.h"

#include "spools.h"

#define MANY 10000

static void
counts(void)
{
	static const struct {
		uint64_t after, events, oldest_ns;
	} rows[] = {
		/* 1 to MANY without 3 and the last but one; the second half came later. */
		{0, MANY - 2, 100},
		{1, MANY - 3, 100},
		{2, MANY - 4, 100},
		{3, MANY - 4, 100},
		{MANY / 2 - 1, MANY / 2, 100},
		{MANY / 2, MANY / 2 - 1, 200},
		{MANY - 4097, 4096, 200},
		{MANY - 4096, 4095, 200},
		{MANY - 4095, 4094, 200},
		{MANY - 2, 1, 200},
		{MANY - 1, 1, 200},
		{MANY, 0, 0},
		{MANY + 1, 0, 0},
		{SPOOL_NUMBER_MAX, 0, 0},
	};
	struct spool spool;
	struct owed owed;
	char *severities = check_repeat_new('-', MANY / 2);
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(spool_count_owed(&spool, 0, &owed), DATABASE_OK);
	CHECK_U64(owed.events, 0);
	CHECK_U64(owed.oldest_ns, 0);
	spools_add(&spool, severities, 100);
	spools_add(&spool, severities, 200);
	CHECK_INT(database_run(
			  &spool.database, "DELETE FROM event WHERE number = 3 OR number = 9999"),
		DATABASE_OK);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("after %llu", (unsigned long long)rows[i].after);
		CHECK_INT(spool_count_owed(&spool, rows[i].after, &owed), DATABASE_OK);
		CHECK_U64(owed.events, rows[i].events);
		CHECK_U64(owed.oldest_ns, rows[i].oldest_ns);
	}
	spool_fini(&spool);
	free(severities);
}

/* Return SQLite's query plan, one step a line. */
static const char *
plan_of(struct spool *spool, const char *counting)
{
	static char text[1000];
	char sql[1000];
	sqlite3_stmt *statement = NULL;
	size_t used = 0;
	snprintf(sql, sizeof sql, "EXPLAIN QUERY PLAN %s", counting);
	CHECK_INT(sqlite3_prepare_v2(spool->database.db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s\n",
			(const char *)sqlite3_column_text(statement, 3));
	sqlite3_finalize(statement);
	return text;
}

static void
is_cheap(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_HAS(plan_of(&spool, spool_count_few_sql), "SEARCH event USING INTEGER PRIMARY KEY");
	CHECK_HAS(plan_of(&spool, spool_count_many_sql), "SCAN event USING COVERING INDEX");
	spool_fini(&spool);
}

static void
measures(void)
{
	struct spool spool;
	uint64_t number, before;
	spools_open(&spool, spools_path("spool.db"));
	CHECK_INT(spool_used_bytes(&spool, &before), DATABASE_OK);
	CHECK(before > 0);
	char *severities = check_repeat_new('F', 1000);
	spools_add(&spool, severities, 100);
	free(severities);
	CHECK_INT(spool_used_bytes(&spool, &number), DATABASE_OK);
	CHECK(number > before + (uint64_t)100 * 1000);
	CHECK_INT(database_run(&spool.database, "DELETE FROM event"), DATABASE_OK);
	CHECK_INT(spool_used_bytes(&spool, &number), DATABASE_OK);
	CHECK(number < before + (uint64_t)20 * 1000);

	CHECK_INT(spool_count_letters(&spool, &number), DATABASE_OK);
	CHECK_U64(number, 0);
	for (uint64_t i = 1; i <= 3; i++) {
		const struct spool_letter letter = {.sink = "-",
			.id = "i",
			.reason = "r",
			.line = "{}\n",
			.length = 3,
			.number = i,
			.refused_at_ns = 1};
		CHECK_INT(spool_refuse(&spool, &letter), DATABASE_OK);
	}
	CHECK_INT(spool_count_letters(&spool, &number), DATABASE_OK);
	CHECK_U64(number, 3);
	spool_fini(&spool);
}

static void
says_what_is_wrong(void)
{
	struct spool spool;
	struct owed owed;
	uint64_t number;
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(database_run(&spool.database, "DROP TABLE event; DROP TABLE dead_letter"),
		DATABASE_OK);
	CHECK_INT(spool_count_owed(&spool, 0, &owed), DATABASE_CORRUPT);
	CHECK_HAS(spool.database.problem, "no such table: event");
	CHECK_INT(spool_count_letters(&spool, &number), DATABASE_CORRUPT);
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"undelivered events are counted and the oldest is found, with gaps in the numbers",
		counts},
	{"many events are counted without reading them", is_cheap},
	{"the size is that of the pages in use, and dead letters are counted", measures},
	{"a spool that cannot be read is reported", says_what_is_wrong},
};

CHECK_MAIN(tests)
