/* Unit tests of emit's late events: events that arrive behind later ones of the same writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/store/clearing.h"

#include "array.h"
#include "spools.h"

/* An event of check "c" about a port of `device` ("": about the whole check). */
struct said {
	uint64_t seq;  /* 0 ends the list */
	char severity; /* F, + or - */
	const char *code, *device, *source;
};

#define SAID 6

static void
say(struct spool *spool, const struct said *said)
{
	char members[500], entities[100] = "", codes[50] = "";
	const char *source = said->source != NULL ? said->source : "s";
	if (*said->device != '\0')
		snprintf(entities, sizeof entities, "{'entityType':'NIC','entityValue':'%s'}",
			said->device);
	if (*said->code != '\0')
		snprintf(codes, sizeof codes, "'%s'", said->code);
	snprintf(members, sizeof members,
		"'id':'%s-%llu','source':'%s','seq':%llu,'checkName':'c','nodeName':'n','isFatal':%"
		"s,'isHealthy':%s,'errorCode':[%s],'entitiesImpacted':[%s]",
		source, (unsigned long long)said->seq, source, (unsigned long long)said->seq,
		said->severity == 'F' ? "true" : "false", said->severity == '+' ? "true" : "false",
		codes, entities);
	spools_add_members(spool, members, 1);
}

/* The events that sinks get, by id, and the standing conditions. */
#define DELIVERED "SELECT id FROM event WHERE answered_by = '' ORDER BY number"
#define ANSWERED \
	"SELECT id || '<' || answered_by FROM event WHERE answered_by <> '' ORDER BY number"
#define STANDS "SELECT event_id FROM condition WHERE closed_ns IS NULL ORDER BY id"

static void
judges(void)
{
	static const struct {
		const char *story;
		struct said said[SAID];
		const char *delivered, *answered, *stands;
	} rows[] = {
		{"in order: no event is late",
			{{1, 'F', "a", "m0", NULL}, {2, '+', "a", "m0", NULL},
				{3, 'F', "a", "m0", NULL}},
			"s-1 s-2 s-3", "", "s-3"},
		{"a fault whose recovery has arrived",
			{{2, '+', "a", "m0", NULL}, {1, 'F', "a", "m0", NULL}}, "s-2", "s-1<s-2",
			""},
		{"also one that is not fatal",
			{{2, '+', "", "m0", NULL}, {1, '-', "a", "m0", NULL}}, "s-2", "s-1<s-2",
			""},
		{"a healthy event of the whole check answers all of it",
			{{2, '+', "", "", NULL}, {1, 'F', "a", "m0", NULL}}, "s-2", "s-1<s-2", ""},
		{"a late fault without an answer stands",
			{{2, 'F', "b", "m0", NULL}, {1, 'F', "a", "m0", NULL}}, "s-2 s-1", "",
			"s-2 s-1"},
		{"a recovery of another device or code is no answer",
			{{3, '+', "a", "m1", NULL}, {2, '+', "b", "m0", NULL},
				{1, 'F', "a", "m0", NULL}},
			"s-3 s-2 s-1", "", "s-1"},
		{"nor is one of another writer",
			{{2, '+', "a", "m0", "t"}, {1, 'F', "a", "m0", NULL}}, "t-2 s-1", "",
			"s-1"},
		{"fault, recovery, fault, and the first arrives last",
			{{2, '+', "a", "m0", NULL}, {3, 'F', "a", "m0", NULL},
				{1, 'F', "a", "m0", NULL}},
			"s-2 s-3", "s-1<s-2", "s-3"},
		{"a recovery behind the next fault does not end it",
			{{1, 'F', "a", "m0", NULL}, {3, 'F', "a", "m0", NULL},
				{2, '+', "a", "m0", NULL}},
			"s-1 s-3", "s-2<s-3", "s-1"},
		{"a late recovery of a fault that was not repeated",
			{{1, 'F', "a", "m0", NULL}, {3, 'F', "b", "m1", NULL},
				{2, '+', "a", "m0", NULL}},
			"s-1 s-3 s-2", "", "s-3"},
		{"a repeated event changes nothing",
			{{1, 'F', "a", "m0", NULL}, {2, '+', "a", "m0", NULL},
				{1, 'F', "a", "m0", NULL}},
			"s-1 s-2", "", ""},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		struct spool spool;
		struct batch batch = {0};
		spools_open(&spool, DATABASE_IN_MEMORY);
		check_row("%s", rows[i].story);
		for (size_t n = 0; n < SAID && rows[i].said[n].seq != 0; n++)
			say(&spool, &rows[i].said[n]);
		CHECK_STR(spools_text(spool.database.db, DELIVERED), rows[i].delivered);
		CHECK_STR(spools_text(spool.database.db, ANSWERED), rows[i].answered);
		CHECK_STR(spools_text(spool.database.db, STANDS), rows[i].stands);
		CHECK_INT(spool_read(&spool, 0, UINT64_MAX, 100, SIZE_MAX, &batch), DATABASE_OK);
		size_t answered = 0;
		for (size_t n = 0; n < batch.count; n++)
			answered += batch.events[n].answered;
		CHECK_U64(answered, *rows[i].answered != '\0' ? 1 : 0);
		batch_fini(&batch);
		spool_fini(&spool);
	}
}

/* The order of events without numbers is unknown. */
static void
knows_no_order(void)
{
	struct spool spool;
	spools_open(&spool, DATABASE_IN_MEMORY);
	spools_add_members(&spool, "'source':'s','seq':2,'checkName':'c','isHealthy':true", 1);
	spools_add_members(&spool, "'source':'s','checkName':'c','isFatal':true", 1);
	spools_add_members(&spool, "'seq':1,'checkName':'c','isFatal':true", 1);
	CHECK_STR(spools_text(spool.database.db, ANSWERED), "");
	CHECK_STR(spools_text(spool.database.db, "SELECT times FROM condition"), "2");
	spool_fini(&spool);
}

static const struct check_test tests[] = {
	{"a late event that was already answered is not delivered, but every other one is", judges},
	{"an event without a number is never late", knows_no_order},
};
CHECK_MAIN(tests)
