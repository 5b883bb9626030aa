/* Unit tests of emit's retention: how long events stay in the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/retention.h"

#include "spools.h"

#define EVENTS_SQL \
	"SELECT number || iif(is_fatal, 'F', iif(is_healthy, '+', '-')) FROM event ORDER BY " \
	"number"
#define COUNT_SQL "SELECT count(*) FROM event"

/* A page has 4 KiB: with records this long each event takes about one page. */
#define LONG 4000

/* Add long events, as spools_add() adds short ones. */
static void
add_long(struct spool *spool, const char *severities)
{
	char *message = check_repeat_new('m', LONG), *members;
	for (; *severities != '\0'; severities++) {
		CHECK(asprintf(&members, "'isFatal':%s,'isHealthy':%s,'errorCode':['%d'],'x':'%s'",
			      *severities == 'F' ? "true" : "false",
			      *severities == '+' ? "true" : "false", (int)spool->last_number,
			      message) > 0);
		spools_add_members(spool, members, 100);
		free(members);
	}
	free(message);
}

static uint64_t
used_bytes(struct spool *spool)
{
	sqlite3 *db = spool->database.db;
	return (spools_number(db, "PRAGMA page_count") -
		       spools_number(db, "PRAGMA freelist_count")) *
	       spools_number(db, "PRAGMA page_size");
}

static void
keeps_for_a_time(void)
{
	static const struct {
		const char *story;
		uint64_t keep_ns, delivered, now_ns;
		const char *expected;
	} rows[] = {
		{"young enough", 50, 4, 140, "1F 2- 3+ 4-"},
		{"to the last moment", 50, 4, 150, "1F 2- 3+ 4-"},
		{"too old", 50, 4, 151, ""},
		{"undelivered events stay", 50, 2, 1000, "3+ 4-"},
		{"nothing is delivered", 50, 0, 1000, "1F 2- 3+ 4-"},
		{"a clock that has just begun", 5000, 4, 151, "1F 2- 3+ 4-"},
		{"not kept at all", 0, 4, 101, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct spool spool;
		struct retention_loss loss;
		const struct retention retention = {rows[i].keep_ns, UINT64_MAX};
		check_row("%s", rows[i].story);
		spools_open(&spool, DATABASE_IN_MEMORY);
		spools_add(&spool, "F-+-", 100);
		CHECK_INT(
			retention_run(&spool, &retention, rows[i].delivered, rows[i].now_ns, &loss),
			DATABASE_OK);
		CHECK_STR(spools_text(spool.database.db, EVENTS_SQL), rows[i].expected);
		CHECK(loss.undelivered == 0 && !loss.overfull && !loss.more);
		spool_fini(&spool);
	}
}

static void
drops_in_order(void)
{
	/* Each round is slightly over the limit, until no more event may be deleted. */
	static const struct {
		const char *severities;
		uint64_t delivered;
		struct {
			const char *left;
			uint64_t undelivered;
			bool overfull;
		} rounds[5];
	} rows[] = {
		{"F-+F-+", 3,
			{{"4F 5- 6+", 0, false}, {"4F 6+", 1, false}, {"4F", 1, false},
				{"4F", 0, true}, {"4F", 0, true}}},
		{"F-+F-+", 6, {{"", 0, false}, {"", 0, true}}},
		{"FFF", 0, {{"1F 2F 3F", 0, true}}},
		{"-F-+", 0, {{"2F 4+", 2, false}, {"2F", 1, false}, {"2F", 0, true}}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct spool spool;
		spools_open(&spool, DATABASE_IN_MEMORY);
		add_long(&spool, rows[i].severities);
		for (size_t j = 0; j < 5 && rows[i].rounds[j].left != NULL; j++) {
			const struct retention retention = {UINT64_MAX, used_bytes(&spool) - 1};
			struct retention_loss loss;
			check_row("%zu: round %zu", i, j + 1);
			CHECK_INT(retention_run(&spool, &retention, rows[i].delivered, 200, &loss),
				DATABASE_OK);
			CHECK_STR(
				spools_text(spool.database.db, EVENTS_SQL), rows[i].rounds[j].left);
			CHECK_U64(loss.undelivered, rows[i].rounds[j].undelivered);
			CHECK_INT(loss.overfull, rows[i].rounds[j].overfull);
			CHECK(!loss.more);
		}
		spool_fini(&spool);
	}
}

static void
stays_below_the_limit(void)
{
	struct spool spool;
	struct retention_loss loss;
	spools_open(&spool, spools_path("spool.db"));
	add_long(&spool, "F");
	for (int i = 0; i < 40; i++)
		add_long(&spool, "--------------------");
	uint64_t used = used_bytes(&spool);
	CHECK(used > 800 * LONG);
	const struct retention roomy = {UINT64_MAX, used}, tight = {UINT64_MAX, used - 1},
			       half = {UINT64_MAX, used / 2};
	CHECK_INT(retention_run(&spool, &roomy, 0, 200, &loss), DATABASE_OK);
	CHECK(!loss.more && loss.undelivered == 0);
	CHECK_U64(spools_number(spool.database.db, COUNT_SQL), 801);
	/* Only few more are deleted than necessary. */
	CHECK_INT(retention_run(&spool, &tight, 0, 200, &loss), DATABASE_OK);
	CHECK(!loss.more && !loss.overfull);
	CHECK_U64(loss.undelivered, 16);
	CHECK_U64(spools_number(
			  spool.database.db, "SELECT min(number) FROM event WHERE is_fatal = 0"),
		18);
	CHECK_INT(retention_run(&spool, &half, 0, 200, &loss), DATABASE_OK);
	CHECK(!loss.more && !loss.overfull);
	CHECK(used_bytes(&spool) <= used / 2);
	CHECK(spools_number(spool.database.db, COUNT_SQL) > 300);
	CHECK_U64(spools_number(spool.database.db, "SELECT value = 801 - (SELECT count(*) FROM "
						   "event) FROM meta WHERE name = 'dropped'"),
		1);
	/* Pages are returned to the file system. */
	for (int i = 0; i < 4; i++)
		CHECK_INT(retention_run(&spool, &tight, 0, 200, &loss), DATABASE_OK);
	CHECK(spools_number(spool.database.db, "PRAGMA page_count") * 4096 < used * 3 / 4);
	spool_fini(&spool);
}

static void
old_ones_go_in_rounds(void)
{
	struct spool spool;
	struct retention_loss loss;
	const struct retention retention = {50, UINT64_MAX};
	spools_open(&spool, DATABASE_IN_MEMORY);
	char *severities = check_repeat_new('-', 2400);
	spools_add(&spool, severities, 100);
	free(severities);
	for (int left = 1400; left > 0; left -= 1000) {
		CHECK_INT(retention_run(&spool, &retention, 2400, 1000, &loss), DATABASE_OK);
		CHECK(loss.more);
		CHECK_INT((int)spools_number(spool.database.db, COUNT_SQL), left);
	}
	CHECK_INT(retention_run(&spool, &retention, 2400, 1000, &loss), DATABASE_OK);
	CHECK(!loss.more);
	CHECK_U64(spools_number(spool.database.db, COUNT_SQL), 0);
	spool_fini(&spool);
}

static void
the_rest_goes_too(void)
{
	struct spool spool;
	struct retention_loss loss;
	const struct retention retention = {50, UINT64_MAX};
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(
		database_run(&spool.database,
			"INSERT INTO condition (node, agent, check_name, about, device, port, "
			"code, is_fatal, action, message, times,"
			" since_ns, last_ns, until_ns, opened, updated, closed, closed_ns, "
			"closed_by) VALUES ('', '', '', '', '', '', 'stands', 0, '', '', 1, 1, 1, "
			"NULL, 1, "
			"1, NULL, NULL, NULL), ('', '', '', '', '', '', 'closed', 0, '', '', 1, 1, "
			"1, NULL, 1, 1, 2, "
			"90, 'recovery'), ('', '', '', '', '', '', 'late', 0, '', '', 1, 1, 1, "
			"NULL, 1, 1, 2, 960, "
			"'recovery'), ('', '', '', '', '', '', 'over', 0, '', '', 1, 1, 1, 90, 1, "
			"1, NULL, "
			"NULL, NULL), ('', '', '', '', '', '', 'until', 0, '', '', 1, 1, 1, 2000, "
			"1, 1, NULL, "
			"NULL, NULL);INSERT INTO dead_letter (sink, number, event_id, time_ns, "
			"reason, record)"
			" VALUES ('s', 1, 'old', 90, '', ''), ('s', 2, 'new', 960, '', '');"
			"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
			"1030) INSERT INTO source SELECT 's' || i, 1, i FROM n"),
		DATABASE_OK);
	CHECK_INT(retention_run(&spool, &retention, 0, 1000, &loss), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, "SELECT code FROM condition ORDER BY id"),
		"stands late until");
	CHECK_STR(spools_text(spool.database.db, "SELECT event_id FROM dead_letter"), "new");
	CHECK_U64(spools_number(spool.database.db, "SELECT count(*) FROM source"), SOURCES_MAX);
	CHECK_U64(spools_number(spool.database.db, "SELECT min(changed_ns) FROM source"), 7);
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"delivered events are kept for their time", keeps_for_a_time},
	{"a full spool deletes events in order, but never an undelivered fatal event",
		drops_in_order},
	{"a spool over its limit shrinks round by round", stays_below_the_limit},
	{"expired events are deleted round by round", old_ones_go_in_rounds},
	{"ended conditions, dead letters and silent sources are deleted after their time",
		the_rest_goes_too},
};
CHECK_MAIN(tests)
