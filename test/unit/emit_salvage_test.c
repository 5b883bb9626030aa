/* Unit tests of emit's salvage: copying the readable events of a broken spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/salvage.h"

#include "spools.h"

#include <fcntl.h>
#include <unistd.h>

#define EVENTS 1000

/* Make a spool of EVENTS fatal events and two sinks' positions; return its path. */
static const char *
old_spool(void)
{
	const char *path = spools_path("old.db");
	struct spool spool;
	spools_open(&spool, path);
	char *severities = check_repeat_new('F', EVENTS);
	spools_add(&spool, severities, 77);
	free(severities);
	CHECK_INT(spool_set_position(&spool, "-", EVENTS, 600, 5), DATABASE_OK);
	CHECK_INT(spool_set_position(&spool, "tcp:h:1", 200, 150, 6), DATABASE_OK);
	CHECK_INT(spool_set_beginning(&spool, "-", 0), DATABASE_OK);
	CHECK_INT(spool_set_beginning(&spool, "tcp:h:1", 50), DATABASE_OK);
	spool_fini(&spool);
	return path;
}

static void
overwrite(const char *path, off_t page, int pages)
{
	char *noise = check_repeat_new('\xA5', 4096);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < pages; i++)
		CHECK_INT(pwrite(fd, noise, 4096, (page + i) * 4096), 4096);
	close(fd);
	free(noise);
}

static void
salvage(const char *path, struct spool *spool, struct salvage *result)
{
	spools_open(spool, DATABASE_IN_MEMORY);
	CHECK_INT(salvage_run(path, spool, result), DATABASE_OK);
	CHECK(sqlite3_get_autocommit(spool->database.db));
}

#define POSITIONS_SQL \
	"SELECT position || ',' || delivered || ',' || changed_ns || ',' || began_after" \
	" FROM sink ORDER BY name"

static void
takes_all(void)
{
	struct spool spool;
	struct salvage result;
	salvage(old_spool(), &spool, &result);
	CHECK(result.whole);
	CHECK_U64(result.events, EVENTS);
	CHECK_U64(result.last_number, EVENTS);
	CHECK_U64(spool.last_number, EVENTS);
	sqlite3 *db = spool.database.db;
	CHECK_U64(spools_number(
			  db, "SELECT count(*) FROM event WHERE number = seq AND received_ns = 77"),
		EVENTS);
	CHECK_STR(spools_text(db, POSITIONS_SQL), "1000,600,5,0 200,150,6,50");
	CHECK_STR(spools_text(db, "SELECT times FROM condition"), "1000");
	spool_fini(&spool);
}

static void
takes_an_older_spool(void)
{
	const char *path = old_spool();
	struct spool spool;
	struct salvage result;
	sqlite3 *db;
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(
		sqlite3_exec(db, "ALTER TABLE sink DROP COLUMN began_after", NULL, NULL, NULL), 0);
	sqlite3_close(db);
	salvage(path, &spool, &result);
	CHECK(result.whole);
	CHECK_STR(spools_text(spool.database.db, POSITIONS_SQL), "1000,600,5,0 200,150,6,0");
	spool_fini(&spool);
}

static void
takes_what_it_can(void)
{
	/* Overwrite some pages, wherever events are; the first two pages are the header's and a
	 * table's. */
	const char *path = old_spool();
	sqlite3 *db;
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	uint64_t pages = spools_number(db, "PRAGMA page_count");
	sqlite3_close(db);
	CHECK(pages > 60);
	uint64_t least = EVENTS;
	for (uint64_t page = 2; page < pages; page += 7) {
		struct spool spool;
		struct salvage result;
		unlink(path);
		path = old_spool();
		overwrite(path, (off_t)page, 2);
		check_row("page %d of %d", (int)page, (int)pages);
		salvage(path, &spool, &result);
		db = spool.database.db;
		CHECK_U64(spools_number(db, "SELECT count(*) FROM event"), result.events);
		CHECK_U64(spools_number(db, "SELECT count(*) FROM event WHERE number = seq"),
			result.events);
		CHECK_INT(
			result.whole, result.events == EVENTS &&
					      spools_number(db, "SELECT count(*) FROM sink") == 2);
		CHECK(spools_number(db, "SELECT coalesce(max(position), 0) FROM sink") <=
			result.last_number);
		if (result.events > 0 && result.events < least)
			least = result.events;
		spool_fini(&spool);
	}
	CHECK(least < EVENTS);
	CHECK(least > EVENTS / 2);
}

static void
positions_are_not_ahead(void)
{
	struct spool old, spool;
	struct salvage result;
	spools_open(&old, spools_path("old.db"));
	spools_add(&old, "FFFF", 1);
	CHECK_INT(spool_set_position(&old, "ahead", 9, 1, 1), DATABASE_OK);
	CHECK_INT(spool_set_position(&old, "behind", 2, 1, 1), DATABASE_OK);
	CHECK_INT(database_run(&old.database,
			  "INSERT INTO sink (name, position, changed_ns) VALUES ('odd', -7, 0)"),
		DATABASE_OK);
	spool_fini(&old);
	salvage(spools_path("old.db"), &spool, &result);
	CHECK_STR(spools_text(spool.database.db, "SELECT position FROM sink ORDER BY name"), "9 2");
	/* The next event's number is higher than every sink's position. */
	CHECK_U64(result.last_number, 9);
	CHECK(!result.whole);
	spool_fini(&spool);
}

static void
damaged_records(void)
{
	struct spool old, spool;
	struct salvage result;
	spools_open(&old, spools_path("old.db"));
	spools_add(&old, "FFFFFF", 1);
	CHECK_INT(database_run(&old.database,
			  "UPDATE event SET record = '{\"kind\":\"event\"' WHERE number = 2;"
			  "UPDATE event SET record = x'00ff' WHERE number = 4;"
			  "UPDATE event SET record = '[]' WHERE number = 5;"
			  "UPDATE event SET number = 9223372036854775807 WHERE number = 6"),
		DATABASE_OK);
	spool_fini(&old);
	salvage(spools_path("old.db"), &spool, &result);
	CHECK(!result.whole);
	CHECK_STR(
		spools_text(spool.database.db, "SELECT number FROM event ORDER BY number"), "1 3");
	CHECK_U64(result.last_number, 3);
	spool_fini(&spool);
}

static void
nothing_to_take(void)
{
	static const struct {
		const char *name, *content;
	} rows[] = {
		{"text", "not a database at all, whatever its name says"},
		{"empty", ""},
		{"missing", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct spool spool;
		struct salvage result;
		check_row("%s", rows[i].name);
		if (rows[i].content != NULL)
			check_file(rows[i].name, rows[i].content);
		salvage(spools_path(rows[i].name), &spool, &result);
		CHECK(!result.whole);
		CHECK_U64(result.events, 0);
		CHECK_U64(result.last_number, 0);
		CHECK_U64(spools_number(spool.database.db, "SELECT count(*) FROM sink"), 0);
		spool_fini(&spool);
	}
}

static const struct check_test tests[] = {
	{"a readable spool is salvaged completely", takes_all},
	{"a spool of an older emit is salvaged with its sinks", takes_an_older_spool},
	{"the intact pages of a damaged spool are salvaged", takes_what_it_can},
	{"no sink's position exceeds the next event's number", positions_are_not_ahead},
	{"damaged records and numbers are skipped", damaged_records},
	{"a file that is no spool gives nothing and counts as incomplete", nothing_to_take},
};
CHECK_MAIN(tests)
