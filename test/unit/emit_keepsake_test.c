/* Unit tests of emit's keepsake: the standing conditions, saved in case the spool is lost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/keepsake.h"

#include "spools.h"

#include <stdlib.h>

#define STANDS \
	"SELECT event_id || '*' || times || '/' || opened FROM condition WHERE closed_ns IS NULL" \
	" ORDER BY id"

static void
say(struct spool *spool, const char *id, const char *code, const char *severity, const char *time)
{
	char members[500];
	snprintf(members, sizeof members,
		"'id':'%s','source':'s','seq':%s,'checkName':'c','nodeName':'n','errorCode':['%s'],"
		"%s,'generatedTimestamp':'2026-01-02T03:04:%s.000000Z',"
		"'entitiesImpacted':[{'entityType':'NIC','entityValue':'m0'}]",
		id, id, code, severity, time);
	spools_add_members(spool, members, 1);
}

#define FATAL "'isFatal':true,'isHealthy':false"
#define HEALTHY "'isFatal':false,'isHealthy':true"

/* Return the keepsake of a spool in which codes `a` (twice) and `b` stand, and `c` no longer
 * does. */
static json_t *
keepsake(void)
{
	struct spool spool;
	enum database_status status;
	spools_open(&spool, DATABASE_IN_MEMORY);
	say(&spool, "1", "a", FATAL, "05");
	say(&spool, "2", "a", FATAL, "06");
	say(&spool, "3", "c", FATAL, "07");
	say(&spool, "4", "c", HEALTHY, "08");
	say(&spool, "5", "b", FATAL, "09");
	json_t *keepsake = keepsake_new(&spool, &status);
	CHECK_INT(status, DATABASE_OK);
	CHECK(keepsake != NULL);
	spool_fini(&spool);
	return keepsake;
}

static void
knows_what_stood(void)
{
	struct spool spool;
	json_t *kept = keepsake();
	spools_open(&spool, DATABASE_IN_MEMORY);
	/* Restoring twice changes nothing. */
	CHECK_INT(keepsake_restore(&spool, kept, NULL), DATABASE_OK);
	CHECK_INT(keepsake_restore(&spool, kept, NULL), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, STANDS), "1*2/0 5*1/0");
	/* The event that opened the condition comes again and is not counted twice; another one is
	 * counted. */
	say(&spool, "1", "a", FATAL, "05");
	say(&spool, "6", "b", FATAL, "10");
	CHECK_STR(spools_text(spool.database.db, STANDS), "1*2/0 5*2/0");
	say(&spool, "7", "a", HEALTHY, "11");
	CHECK_STR(spools_text(spool.database.db, STANDS), "5*2/0");
	spool_fini(&spool);
	json_decref(kept);
}

/* The end of the spool's log is lost, and with it acknowledged recoveries. */
static void
ends_what_did_not_stand(void)
{
	static const struct {
		uint64_t acked;
		bool whole;
		const char *stands;
	} rows[] = {
		{5, true, "1*1/1 8*1/3 5*1/0"},
		{2, true, "1*1/1 3*1/2 8*1/3 5*1/0"},
		{5, false, "1*1/1 3*1/2 8*1/3 5*1/0"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct spool spool;
		json_t *kept = keepsake();
		CHECK(json_is_true(json_object_get(kept, "whole")));
		json_object_set_new(kept, "whole", json_boolean(rows[i].whole));
		json_t *acks = json_pack("{s:I}", "s", (json_int_t)rows[i].acked);
		spools_open(&spool, DATABASE_IN_MEMORY);
		say(&spool, "1", "a", FATAL, "05");
		say(&spool, "3", "c", FATAL, "07");
		say(&spool, "8", "d", FATAL, "12");
		CHECK_INT(keepsake_restore(&spool, kept, acks), DATABASE_OK);
		check_row("row %zu", i);
		CHECK_STR(spools_text(spool.database.db, STANDS), rows[i].stands);
		spool_fini(&spool);
		json_decref(acks);
		json_decref(kept);
	}
	check_row("%s", "");
}

static void
believes_what_is_left(void)
{
	struct spool spool;
	json_t *kept = keepsake();
	spools_open(&spool, DATABASE_IN_MEMORY);
	/* From before and after the condition began. */
	say(&spool, "0", "b", HEALTHY, "04");
	say(&spool, "8", "a", HEALTHY, "12");
	CHECK_INT(keepsake_restore(&spool, kept, NULL), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, STANDS), "5*1/0");
	spool_fini(&spool);
	json_decref(kept);
}

/* The newer keepsake has been only in memory. */
static void
keeps_what_is_newer(void)
{
	struct spool spool;
	json_t *older = keepsake(), *newer = keepsake();
	json_object_set_new(older, "serial", json_integer(7));
	json_object_set_new(newer, "serial", json_integer(8));
	json_array_remove(json_object_get(older, "conditions"), 0);
	json_array_remove(json_object_get(newer, "conditions"), 1);
	spools_open(&spool, DATABASE_IN_MEMORY);
	CHECK_INT(keepsake_restore(&spool, newer, NULL), DATABASE_OK);
	CHECK_INT(keepsake_restore(&spool, older, NULL), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, STANDS), "1*2/0");
	CHECK_U64(
		spools_number(spool.database.db, "SELECT value FROM meta WHERE name = 'keepsake'"),
		8);
	/* The next one is newer still. */
	enum database_status status;
	keepsake_follow(&spool, older);
	json_t *next = keepsake_new(&spool, &status);
	CHECK_INT(json_integer_value(json_object_get(next, "serial")), 9);
	json_decref(next);
	spool_fini(&spool);
	json_decref(older);
	json_decref(newer);
}

static void
leaves_out_what_is_none(void)
{
	static const char *const rows[] = {
		"null",
		"[]",
		"{}",
		"{\"boot_id\": 7, \"conditions\": 7}",
		"{\"conditions\": [null, 7, {}, {\"node\": \"n\"}]}",
		"{\"serial\": 9223372036854775807}",
		"{\"serial\": -1}",
	};
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *kept = json_loads(rows[i], JSON_DECODE_ANY, NULL);
		check_row("%s", rows[i]);
		CHECK(kept != NULL);
		CHECK_INT(keepsake_restore(&spool, kept, NULL), DATABASE_OK);
		json_decref(kept);
	}
	CHECK_INT(keepsake_restore(&spool, NULL, NULL), DATABASE_OK);
	json_t *kept = keepsake();
	json_t *first = json_array_get(json_object_get(kept, "conditions"), 0);
	CHECK_INT(json_object_set_new(first, "since_ns", json_string("long ago")), 0);
	CHECK_INT(keepsake_restore(&spool, kept, NULL), DATABASE_OK);
	CHECK_STR(spools_text(spool.database.db, STANDS), "5*1/0");
	json_decref(kept);
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"a new spool restores the standing conditions, and counts repeated events once",
		knows_what_stood},
	{"a condition that a remaining event ends is not restored", believes_what_is_left},
	{"a condition that a lost event had ended does not stand", ends_what_did_not_stand},
	{"a spool that was restored from a newer keepsake keeps what it has", keeps_what_is_newer},
	{"a malformed keepsake, or a malformed condition in it, is ignored",
		leaves_out_what_is_none},
};
CHECK_MAIN(tests)
