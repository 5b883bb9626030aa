/* Unit tests of emit's spool: storing the node's events on disk. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spools.h"

#include <unistd.h>

#define EVENTS_SQL "SELECT seq FROM event ORDER BY number"

static void
stores(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	spools_add_members(&spool,
		"'id':'a-7','source':'a','seq':7,'agent':'g','checkName':'c','nodeName':'n','"
		"isFatal':true,'message':'m','recommendedAction':'REPLACE_VM','errorCode':['x','y']"
		",'generatedTimestamp':'1970-"
		"01-01T00:00:05Z','entitiesImpacted':[{'entityType':'NIC','entityValue':'mlx5_0'},{"
		"'entityType':'"
		"NICPort','entityValue':'1'}]",
		9000);
	sqlite3 *db = spool.database.db;
	CHECK_STR(spools_text(db, "SELECT number || ' ' || source || ' ' || seq || ' ' || id || ' "
				  "' || time_ns || ' ' || received_ns || ' ' || node"
				  " || ' ' || agent || ' ' || check_name || ' ' || device || ' ' "
				  "|| port || ' ' || is_fatal || is_healthy || ' '"
				  " || code || ' ' || action || ' ' || message FROM event"),
		"1 a 7 a-7 5000000000 9000 n g c mlx5_0 1 10 x,y REPLACE_VM m");
	/* Events without these members are stored, too. */
	spools_add_members(&spool, "", 9001);
	spools_add_members(&spool, "'source':'a'", 9002);
	spools_add_members(&spool, "'seq':3", 9003);
	CHECK_STR(spools_text(db, "SELECT source FROM event ORDER BY number"), "a - - -");
	CHECK_STR(spools_text(db, EVENTS_SQL), "7 - - -");
	CHECK_STR(spools_text(db, "SELECT time_ns FROM event ORDER BY number"),
		"5000000000 9001 9002 9003");
	CHECK_STR(spools_text(db, "SELECT record FROM event WHERE number = 2"),
		"{\"kind\":\"event\"}");
	spool_fini(&spool);
}

static void
stores_once(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	spools_add_members(&spool, "'source':'a','seq':1,'message':'first'", 1);
	spools_add_members(&spool, "'source':'a','seq':1,'message':'again'", 2);
	spools_add_members(&spool, "'source':'b','seq':1,'message':'other'", 3);
	spools_add_members(&spool, "'source':'a','seq':2,'message':'next'", 4);
	CHECK_STR(spools_text(spool.database.db, "SELECT message FROM event ORDER BY number"),
		"first other next");
	/* It does not count twice in the condition either. */
	CHECK_STR(spools_text(spool.database.db, "SELECT times FROM condition"), "3");
	CHECK_U64(spool.last_number, 4);
	/* Without a source and seq every event is a new one. */
	spools_add_members(&spool, "'message':'x'", 5);
	spools_add_members(&spool, "'message':'x'", 6);
	CHECK_U64(spools_number(spool.database.db, "SELECT count(*) FROM event"), 5);
	spool_fini(&spool);
}

static void
takes_back(void)
{
	struct spool spool;
	struct sources sources = {.acknowledges = true};
	enum arrival arrival;
	char *line = spools_event_new("s", 1, 'F');
	spools_open(&spool, spools_path("spool.db"));
	CHECK_INT(sources_arrive(&sources, "s", 1, false, 5, &arrival), 0);
	CHECK_INT(spool_begin_events(&spool), DATABASE_OK);
	CHECK_INT(spool_add_line(&spool, 1, line, strlen(line), 1), DATABASE_OK);
	spool_give_up_events(&spool);
	CHECK_U64(spools_number(spool.database.db, "SELECT count(*) FROM event"), 0);
	CHECK_U64(spools_number(spool.database.db, "SELECT count(*) FROM condition"), 0);
	CHECK_U64(spool.last_number, 0);

	CHECK_INT(spool_begin_events(&spool), DATABASE_OK);
	CHECK_INT(spool_add_line(&spool, 1, line, strlen(line), 1), DATABASE_OK);
	CHECK_INT(spool_commit_events(&spool, 1, &sources), DATABASE_OK);
	CHECK_STR(spools_text(
			  spool.database.db, "SELECT name || seq || ' ' || changed_ns FROM source"),
		"s1 5");
	sources_fini(&sources);
	spool_fini(&spool);

	/* Committed data is read by the next process. */
	struct sources restored = {.acknowledges = true};
	spool_init(&spool, spools_path("spool.db"));
	CHECK_INT(spool_open(&spool, &restored), DATABASE_OK);
	CHECK_U64(spool.last_number, 1);
	CHECK_INT(sources_arrive(&restored, "s", 1, false, 6, &arrival), 0);
	CHECK_INT(arrival, ARRIVAL_KNOWN);
	sources_fini(&restored);
	spool_fini(&spool);
	free(line);
}

static void
reads(void)
{
	static const struct {
		uint64_t after, upto;
		size_t max_events, max_bytes;
		const char *expected;
	} rows[] = {
		{0, UINT64_MAX, 100, SIZE_MAX, "1 2 4 5 6"},
		{0, 4, 100, SIZE_MAX, "1 2 4"},
		{2, 5, 100, SIZE_MAX, "4 5"},
		{3, UINT64_MAX, 100, SIZE_MAX, "4 5 6"},
		{6, UINT64_MAX, 100, SIZE_MAX, ""},
		{UINT64_MAX, UINT64_MAX, 100, SIZE_MAX, ""},
		{0, 0, 100, SIZE_MAX, ""},
		{0, UINT64_MAX, 2, SIZE_MAX, "1 2"},
		{0, UINT64_MAX, 0, SIZE_MAX, ""},
		/* One event always fits. */
		{0, UINT64_MAX, 100, 1, "1"},
		{2, 3, 100, SIZE_MAX, ""},
	};
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	spools_add(&spool, "------", 1);
	CHECK_INT(database_run(&spool.database, "DELETE FROM event WHERE number = 3"), DATABASE_OK);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct batch batch = {0};
		check_row("%zu", i);
		CHECK_INT(spool_read(&spool, rows[i].after, rows[i].upto, rows[i].max_events,
				  rows[i].max_bytes, &batch),
			DATABASE_OK);
		CHECK_STR(spools_batch(&batch), rows[i].expected);
		batch_fini(&batch);
	}
	check_row("%s", "");
	/* The bytes include all newlines. */
	struct batch batch = {0};
	char *line = spools_event_new("s", 1, '-');
	CHECK_INT(spool_read(&spool, 0, 100, 100, 3 * strlen(line), &batch), DATABASE_OK);
	CHECK_STR(spools_batch(&batch), "1 2 4");
	batch_clear(&batch);
	CHECK_INT(spool_read(&spool, 0, 100, 100, 3 * strlen(line) - 1, &batch), DATABASE_OK);
	CHECK_STR(spools_batch(&batch), "1 2");
	CHECK_INT(memcmp(batch_line(&batch, 0), line, strlen(line)), 0);
	batch_fini(&batch);
	free(line);
	spool_fini(&spool);
}

static void
keeps_positions(void)
{
	struct spool spool;
	uint64_t position = 77;
	bool known = true;
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(spool_get_position(&spool, "tcp:h:1", &position, &known), DATABASE_OK);
	CHECK(!known);
	CHECK_U64(position, 77);
	CHECK_INT(spool_set_position(&spool, "tcp:h:1", 5, 5, 100), DATABASE_OK);
	CHECK_INT(spool_set_position(&spool, "tcp:h:1", 8, 2, 200), DATABASE_OK);
	CHECK_INT(spool_set_position(&spool, "-", 1, 1, 300), DATABASE_OK);
	CHECK_INT(spool_get_position(&spool, "tcp:h:1", &position, &known), DATABASE_OK);
	CHECK(known);
	CHECK_U64(position, 8);
	CHECK_STR(spools_text(spool.database.db,
			  "SELECT position || ',' || delivered || ',' || refused || ',' || "
			  "changed_ns FROM sink ORDER BY name"),
		"1,1,0,300 8,7,0,200");
	spool_fini(&spool);
}

#define BEGINNINGS_SQL "SELECT name || ',' || began_after FROM sink ORDER BY name"

static void
keeps_beginnings(void)
{
	struct spool spool;
	struct sources sources = {0};
	const char *path = spools_path("spool.db");
	spools_open(&spool, path);
	spool_note_beginning(&spool);
	CHECK_INT(spool_set_position(&spool, "first", 0, 0, 1), DATABASE_OK);
	spools_add(&spool, "---", 1);
	spool_fini(&spool);

	spools_open(&spool, path);
	spool_note_beginning(&spool);
	spools_add(&spool, "---", 1);
	CHECK_INT(spool_set_position(&spool, "first", 6, 6, 1), DATABASE_OK);
	CHECK_INT(spool_set_position(&spool, "second", 5, 2, 1), DATABASE_OK);
	CHECK_INT(spool_set_position(&spool, "second", 6, 1, 1), DATABASE_OK);
	/* A sink lacks none of the events after its first position. */
	CHECK_INT(spool_set_position(&spool, "behind", 2, 0, 1), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, BEGINNINGS_SQL), "behind,2 first,0 second,3");
	/* In another opening by the same emit, of which no position could be stored before. */
	spool_close(&spool);
	CHECK_INT(spool_open(&spool, &sources), DATABASE_OK);
	spool_note_beginning(&spool);
	CHECK_INT(spool_set_position(&spool, "third", 6, 3, 1), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, BEGINNINGS_SQL),
		"behind,2 first,0 second,3 third,3");
	/* A new file has only events that these sinks get. */
	spool_close(&spool);
	unlink(path);
	CHECK_INT(spool_open(&spool, &sources), DATABASE_OK);
	spool_note_beginning(&spool);
	CHECK_INT(spool_set_position(&spool, "second", 6, 0, 1), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, BEGINNINGS_SQL), "second,0");
	sources_fini(&sources);
	spool_fini(&spool);
}

static void
keeps_dead_letters(void)
{
	struct spool spool;
	const struct spool_letter letter = {.sink = "http://h/",
		.id = "s-2",
		.reason = "400",
		.line = "{}\n",
		.length = 3,
		.number = 2,
		.refused_at_ns = 50};
	spools_open(&spool, DATABASE_IN_MEMORY);
	spools_add(&spool, "---", 1);
	CHECK_INT(spool_set_position(&spool, "http://h/", 1, 1, 40), DATABASE_OK);
	CHECK_INT(spool_refuse(&spool, &letter), DATABASE_OK);
	sqlite3 *db = spool.database.db;
	CHECK_STR(spools_text(db, "SELECT sink || ' ' || number || ' ' || event_id || ' ' || "
				  "time_ns || ' ' || reason || ' ' || record FROM dead_letter"),
		"http://h/ 2 s-2 50 400 {}");
	CHECK_STR(spools_text(db, "SELECT position || ',' || delivered || ',' || refused || ',' || "
				  "changed_ns FROM sink"),
		"2,1,1,50");
	/* After a crash the event may be refused again, and is still one dead letter. */
	CHECK_INT(spool_refuse(&spool, &letter), DATABASE_OK);
	CHECK_U64(spools_number(db, "SELECT count(*) FROM dead_letter"), 1);
	/* A refusal also records a new sink. */
	struct spool_letter other = letter;
	other.sink = "http://other/";
	CHECK_INT(spool_refuse(&spool, &other), DATABASE_OK);
	CHECK_STR(spools_text(db, "SELECT refused FROM sink WHERE name = 'http://other/'"), "1");
	spool_fini(&spool);
}

static void
numbers_are_given_once(void)
{
	struct spool spool;
	spools_open(&spool, spools_path("spool.db"));
	spools_add(&spool, "-----", 1);
	CHECK_INT(database_run(&spool.database, "DELETE FROM event"), DATABASE_OK);
	spool_fini(&spool);
	spools_open(&spool, spools_path("spool.db"));
	CHECK_U64(spool.last_number, 5);
	spools_add(&spool, "-", 1);
	CHECK_STR(spools_text(spool.database.db, "SELECT number FROM event"), "6");
	spool_fini(&spool);
}

static void
names_are_checked(void)
{
	struct spool spool;
	struct sources sources = {.acknowledges = true};
	spools_open(&spool, spools_path("spool.db"));
	CHECK_INT(database_run(&spool.database, "INSERT INTO source VALUES ('good', 4, 1), "
						"(CAST(x'ff' AS TEXT), 4, 1), ('negative', -4, 1)"),
		DATABASE_OK);
	spool_fini(&spool);
	spool_init(&spool, spools_path("spool.db"));
	CHECK_INT(spool_open(&spool, &sources), DATABASE_OK);
	json_t *acks = sources_acks_new(&sources);
	CHECK_U64(json_object_size(acks), 1);
	CHECK_INT(json_integer_value(json_object_get(acks, "good")), 4);
	json_decref(acks);
	sources_fini(&sources);

	/* Behind the highest possible number no event fits. */
	CHECK_INT(database_run(&spool.database,
			  "INSERT INTO event (number, id, time_ns, received_ns, node, agent, "
			  "check_name, device, port, is_fatal,"
			  " is_healthy, code, action, message, record)"
			  " VALUES (9223372036854775807, '', 0, 0, '', '', '', '', '', 0, 0, '', "
			  "'', '', '{}')"),
		DATABASE_OK);
	spool_fini(&spool);
	spool_init(&spool, spools_path("spool.db"));
	CHECK_INT(spool_open(&spool, &sources), DATABASE_CORRUPT);
	CHECK(!spool_is_open(&spool));
	sources_fini(&sources);
	spool_fini(&spool);
}

static void
says_what_is_wrong(void)
{
	struct spool spool;
	struct batch batch = {0};
	uint64_t number = 0;
	bool known;
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(spool_try(&spool), DATABASE_OK);
	CHECK_INT(database_run(&spool.database, "DROP TABLE event; DROP TABLE sink"), DATABASE_OK);
	CHECK_INT(spool_read(&spool, 0, 1, 1, 1, &batch), DATABASE_CORRUPT);
	CHECK_HAS(spool.database.problem, "no such table: event");
	CHECK_INT(spool_get_position(&spool, "-", &number, &known), DATABASE_CORRUPT);
	CHECK_INT(spool_set_position(&spool, "-", 1, 1, 1), DATABASE_CORRUPT);
	CHECK_INT(spool_begin_events(&spool), DATABASE_OK);
	char *line = spools_event_new("s", 1, '-');
	CHECK_INT(spool_add_line(&spool, 1, line, strlen(line), 1), DATABASE_CORRUPT);
	spool_give_up_events(&spool);
	free(line);
	/* No transaction was left open. */
	CHECK(sqlite3_get_autocommit(spool.database.db));
	batch_fini(&batch);
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"an event is stored with columns for the values that queries need", stores},
	{"an event that is already stored is skipped", stores_once},
	{"only committed events are stored", takes_back},
	{"events are read in order, up to the limits", reads},
	{"each sink's position is stored", keeps_positions},
	{"a new sink begins after the last event at the first opening", keeps_beginnings},
	{"a refused event is stored as a dead letter", keeps_dead_letters},
	{"no number is used twice, whatever is deleted", numbers_are_given_once},
	{"damaged names and numbers of streams are skipped", names_are_checked},
	{"missing tables are reported", says_what_is_wrong},
};
CHECK_MAIN(tests)
