/* Unit tests of correlate's engine: what rules make of events in the order of their time
 * (spec#derived-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/engine.h"

#include "check.h"

#include <stdio.h>

#define S UINT64_C(1000000)
#define MINUTE (60 * S)
#define HOUR (60 * MINUTE)

/* What was found so far: `!` or `=`, the rule's first letter, `@` and milliseconds, a blank. */
struct world {
	struct rules rules;
	struct groups_budget budget;
	struct engine engine;
	const char *strategy; /* of the events; NULL: the usual one */
	char text[4096];
	/* of the latest finding: whether somebody is to act on it, and what it rests on */
	bool did_act;
	char evidence[1024];
};

static int
note(void *context, const struct finding *finding)
{
	struct world *world = context;
	size_t used = strlen(world->text);
	if (finding->kind > FINDING_OVER)
		return 0;
	(void)snprintf(world->text + used, sizeof world->text - used, "%s%c@%u ",
		finding->kind == FINDING_OVER ? "=" : "!", *finding->group->rule->name,
		(unsigned)(finding->at_us / 1000));
	world->did_act = finding->group->did_act;
	*world->evidence = '\0';
	size_t count;
	const struct group_mark *marks = groups_evidence(finding->group, &count);
	for (size_t i = 0, length = 0; i < count; i++)
		length += (size_t)snprintf(world->evidence + length,
			sizeof world->evidence - length, "%s ", marks[i].id);
	return 0;
}

static void
begin(struct world *world, const char *yaml)
{
	*world = (struct world){.budget.most = GROUPS_MAX};
	CHECK_INT(rules_parse(&world->rules, "rules", yaml), 0);
	engine_init(&world->engine, &world->rules, &world->budget, note, world);
}

static void
end(struct world *world)
{
	engine_fini(&world->engine);
	CHECK_INT((int)world->budget.groups, 0);
	rules_fini(&world->rules);
}

/* Takes in a record, which it owns. */
static void
accept(struct world *world, uint64_t at_us, json_t *record)
{
	struct sighting *sighting = sighting_new(record);
	CHECK(record != NULL && sighting != NULL);
	CHECK_INT(engine_accept(&world->engine, at_us, sighting), 0);
	sighting_release(sighting);
	json_decref(record);
}

/* An event about port 1 of a NIC; `code` NULL: none, `nic` NULL: about none. Its id is its time, in
 * milliseconds. */
static void
event(struct world *world, uint64_t at_us, const char *nic, const char *code, bool healthy)
{
	char id[NUM_U64_SIZE];
	num_format_u64(at_us / 1000, id);
	json_t *entities = json_array();
	if (nic != NULL)
		json_array_append_new(
			entities, json_pack("{s:s, s:s}", "entityType", "NIC", "entityValue", nic));
	json_t *codes = json_array();
	if (code != NULL)
		json_array_append_new(codes, json_string(code));
	json_t *record = json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:s, s:s}", "kind", "event",
		"checkName", "C", "nodeName", "n1", "isHealthy", healthy, "errorCode", codes,
		"entitiesImpacted", entities, "id", id, "processingStrategy",
		world->strategy != NULL ? world->strategy : "EXECUTE_REMEDIATION");
	accept(world, at_us, record);
}
#define BAD(world, at, nic, code) event(world, at, nic, code, false)
#define GOOD(world, at, nic, code) event(world, at, nic, code, true)

#define THREE_AN_HOUR \
	"rules: [{name: r, match: {errorCode: e}, group: [entity.NIC], count: 3, within: 1h}]"

static void
counts(void)
{
	static const struct {
		uint64_t third_us;
		const char *found;
	} rows[] = {
		{S + HOUR - 1, "!r@3600999 "},
		{S + HOUR, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("third at %u us", (unsigned)rows[i].third_us);
		begin(&world, THREE_AN_HOUR);
		BAD(&world, S, "m0", "e");
		BAD(&world, 10 * S, "m0", "e");
		CHECK_STR(world.text, "");
		BAD(&world, rows[i].third_us, "m0", "e");
		CHECK_STR(world.text, rows[i].found);
		end(&world);
	}
}

static void
counts_nothing_twice(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	BAD(&world, S, "m0", "e");
	BAD(&world, 10 * S, "m0", "e");
	accept(&world, 20 * S,
		check_json_new("{'kind':'event','checkName':'C','nodeName':'n1','isHealthy':false,"
			       "'errorCode':['e'],'entitiesImpacted':[{'entityType':'NIC',"
			       "'entityValue':'m0'}],'id':'i','metadata':{'afterSilence':'s'}}"));
	CHECK_STR(world.text, "");
	BAD(&world, 30 * S, "m0", "e");
	CHECK_STR(world.text, "!r@30000 ");
	end(&world);
}

static void
is_one_until_the_window_is_empty(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	for (unsigned i = 0; i < 20; i++)
		BAD(&world, (1 + i) * 10 * MINUTE, "m0", "e");
	CHECK_STR(world.text, "!r@1800000 ");
	/* An hour after the last one, to the microsecond. */
	CHECK_INT(engine_advance(&world.engine, 260 * MINUTE - 1), 0);
	CHECK_STR(world.text, "!r@1800000 ");
	CHECK_INT(engine_advance(&world.engine, 260 * MINUTE), 0);
	CHECK_STR(world.text, "!r@1800000 =r@15600000 ");
	CHECK_INT((int)world.engine.groups.count, 0);
	/* And anew. */
	for (unsigned i = 0; i < 3; i++)
		BAD(&world, 300 * MINUTE + i, "m0", "e");
	CHECK_STR(world.text, "!r@1800000 =r@15600000 !r@18000000 ");
	end(&world);
}

static void
tells_groups_apart(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	for (unsigned i = 0; i < 2; i++) {
		BAD(&world, 1 + i, "m0", "e");
		BAD(&world, 1 + i, "m1", "e");
		/* Of another code, without the value, and good news. */
		BAD(&world, 1 + i, "m0", "f");
		BAD(&world, 1 + i, NULL, "e");
		GOOD(&world, 1 + i, "m0", "e");
	}
	CHECK_STR(world.text, "");
	CHECK_INT((int)world.engine.groups.count, 2);
	BAD(&world, 5000, "m1", "e");
	CHECK_STR(world.text, "!r@5 ");
	end(&world);
}

#define BOTH "rules: [{name: b, all: [{errorCode: e}, {errorCode: f}], within: 10s, action: NONE}]"

static void
all_kinds(void)
{
	static const struct {
		const char *first, *second;
		uint64_t apart_us;
		bool is_found;
	} rows[] = {
		{"e", "f", 10 * S - 1, true},
		{"f", "e", 10 * S - 1, true},
		{"e", "f", 10 * S, false},
		{"e", "e", 1, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("%s %s", rows[i].first, rows[i].second);
		begin(&world, BOTH);
		BAD(&world, S, "m0", rows[i].first);
		BAD(&world, S + rows[i].apart_us, "m1", rows[i].second);
		CHECK_STR(world.text, !rows[i].is_found ? "" : "!b@10999 ");
		end(&world);
	}
}

/* What comes behind a later one of its kind. */
static void
keeps_the_latest_kinds(void)
{
	struct world world;
	begin(&world, "rules: [{name: b, all: [{errorCode: x}, {errorCode: y}], within: 10s}]");
	BAD(&world, 40 * S, "m0", "x");
	BAD(&world, 10 * S, "m0", "x");
	BAD(&world, 45 * S, "m0", "y");
	CHECK_STR(world.text, "!b@45000 ");
	end(&world);
}

#define IN_ORDER \
	"rules: [{name: s, sequence: [{errorCode: a}, {errorCode: b}, {errorCode: [c, a]}]," \
	" group: [entity.NIC], within: 10s}]"

/* Each event a second after the one before it; a blank: none. */
static void
sequences(void)
{
	static const struct {
		const char *codes, *found;
	} rows[] = {
		{"abc", "!s@3000 =s@13000 "},
		/* Not in the order, or not all of them. */
		{"cba", ""},
		{"acb", ""},
		{"bc", ""},
		{"ab", ""},
		/* What is between them does not matter, nor that it comes again. */
		{"axb bcc", "!s@6000 =s@17000 "},
		/* The first a is of the pattern, the second is not; or the second is as well. */
		{"abac", "!s@3000 =s@14000 "},
		{"abxxac", "!s@5000 =s@16000 "},
		/* It is told from the latest on. */
		{"a      abc", "!s@10000 =s@20000 "},
		{"a       bc", "!s@10000 =s@20000 "},
		{"a        bc", ""},
		{"a       b c", ""},
		/* One that completes it does so once. */
		{"abcabc", "!s@3000 =s@16000 "},
		{"abc         abc", "!s@3000 =s@13000 !s@15000 =s@25000 "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		uint64_t at_us = 0;
		check_row("%s", rows[i].codes);
		begin(&world, IN_ORDER);
		for (const char *code = rows[i].codes; *code != '\0'; code++) {
			char text[] = {*code, '\0'};
			at_us += S;
			if (*code != ' ')
				BAD(&world, at_us, "m0", text);
			/* Another NIC's are another group. */
			if (i % 2 == 0 && *code == 'a')
				BAD(&world, at_us, "m1", text);
		}
		CHECK_INT(engine_advance(&world.engine, HOUR), 0);
		CHECK_STR(world.text, rows[i].found);
		CHECK_INT((int)world.engine.groups.count, 0);
		end(&world);
	}
}

/* What is of the same moment is in no order, and one event is one of a sequence. */
static void
sequences_of_moments(void)
{
	struct world world;
	begin(&world,
		"rules: [{name: s, sequence: [{errorCode: a}, {errorCode: a}], within: 10s}]");
	BAD(&world, S, "m0", "a");
	BAD(&world, S, "m1", "a");
	CHECK_STR(world.text, "");
	BAD(&world, S + 1000, "m1", "a");
	CHECK_STR(world.text, "!s@1001 ");
	CHECK_INT((int)check_occurrences(world.evidence, " "), 2);
	end(&world);
	/* Nor is what comes behind later ones. */
	begin(&world, IN_ORDER);
	BAD(&world, 3 * S, "m0", "b");
	BAD(&world, 2 * S, "m0", "a");
	BAD(&world, 4 * S, "m0", "c");
	CHECK_STR(world.text, "");
	BAD(&world, 5 * S, "m0", "b");
	BAD(&world, 4 * S, "m0", "b");
	BAD(&world, 6 * S, "m0", "c");
	CHECK_STR(world.text, "!s@6000 ");
	end(&world);
}

#define FOUR_MINUTES \
	"rules: [{name: d, match: {errorCode: e}, group: [entity.NIC], lasts: 4m," \
	" unless: {errorCode: u}}]"

static void
lasts(void)
{
	static const struct {
		uint64_t good_us;
		const char *found;
	} rows[] = {
		{239 * S, ""},
		{240 * S, ""},
		{241 * S, "!d@241000 =d@241000 "},
		{300 * S, "!d@241000 =d@300000 "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("answered after %u s", (unsigned)(rows[i].good_us / S) - 1);
		begin(&world, FOUR_MINUTES);
		BAD(&world, S, "m0", "e");
		/* That it is said again is nothing new. */
		BAD(&world, 100 * S, "m0", "e");
		GOOD(&world, 101 * S, "m1", "e");
		GOOD(&world, rows[i].good_us, "m0", "e");
		CHECK_STR(world.text, rows[i].found);
		CHECK_INT(engine_advance(&world.engine, HOUR), 0);
		CHECK_STR(world.text, rows[i].found);
		CHECK_INT((int)world.engine.groups.count, 0);
		end(&world);
	}
}

static void
is_answered_by_more(void)
{
	static const struct {
		const char *nic, *code;
		bool is_answer;
	} rows[] = {
		{"m0", NULL, true},
		{NULL, NULL, true},
		{NULL, "e", true},
		{NULL, "f", false},
		{"m1", NULL, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct world world;
		check_row("row %d", (int)i);
		begin(&world, FOUR_MINUTES);
		BAD(&world, S, "m0", "e");
		GOOD(&world, 2 * S, rows[i].nic, rows[i].code);
		CHECK_INT(engine_advance(&world.engine, HOUR), 0);
		CHECK_STR(world.text, rows[i].is_answer ? "" : "!d@241000 ");
		end(&world);
	}
}

/* A healthy event is not fatal, and need not be stored as what it answers. */
static void
is_answered_by_its_codes_and_entities(void)
{
	static const char *const rules[] = {
		"rules: [{name: l, match: {errorCode: e}, group: [entity.NIC, processingStrategy],"
		" lasts: 10s}]",
		"rules: [{name: t, match: {errorCode: e}, group: [processingStrategy, errorCode],"
		" total: 10s, within: 1h}]",
	};
	for (size_t i = 0; i < CHECK_COUNT(rules); i++) {
		struct world world;
		check_row("%s", rules[i]);
		begin(&world, rules[i]);
		BAD(&world, S, "m0", "e");
		world.strategy = "STORE_ONLY";
		GOOD(&world, 2 * S, "m0", "e");
		CHECK_INT(engine_advance(&world.engine, MINUTE), 0);
		CHECK_STR(world.text, "");
		end(&world);
	}
}

static void
is_not_answered_by_others(void)
{
	struct world world;
	begin(&world, "rules: [{name: d, match: {errorCode: e}, lasts: 4m}]");
	BAD(&world, S, NULL, "e");
	GOOD(&world, 2 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!d@241000 ");
	/* Nor is one about an entity that has no name. */
	GOOD(&world, 2 * HOUR, NULL, "e");
	BAD(&world, 3 * HOUR, "m0", "e");
	json_t *nameless =
		json_pack("{s:s, s:s, s:b, s:[s], s:[{s:s}]}", "kind", "event", "checkName", "C",
			"isHealthy", 1, "errorCode", "e", "entitiesImpacted", "entityType", "NIC");
	accept(&world, 3 * HOUR + S, nameless);
	CHECK_INT(engine_advance(&world.engine, 4 * HOUR), 0);
	CHECK_STR(world.text, "!d@241000 =d@7200000 !d@11040000 ");
	end(&world);
}

static void
excepts(void)
{
	struct world world;
	begin(&world, FOUR_MINUTES);
	BAD(&world, S, "m0", "e");
	BAD(&world, S, "m1", "e");
	BAD(&world, 100 * S, "m0", "u");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!d@241000 ");
	/* What was reported stays, until it is answered. */
	BAD(&world, HOUR + 1, "m1", "u");
	CHECK_STR(world.text, "!d@241000 ");
	GOOD(&world, HOUR + S, "m1", "e");
	CHECK_STR(world.text, "!d@241000 =d@3601000 ");
	end(&world);
}

#define A_MINUTE_A_DAY \
	"rules: [{name: t, match: {errorCode: e}, group: [entity.NIC], total: 60s, within: 1h}]"

static void
totals(void)
{
	struct world world;
	begin(&world, A_MINUTE_A_DAY);
	for (unsigned i = 1; i <= 5; i++) {
		BAD(&world, i * 100 * S, "m0", "e");
		/* That it is said again does not begin it anew. */
		BAD(&world, i * 100 * S + 5 * S, "m0", "e");
		GOOD(&world, i * 100 * S + 11 * S, "m0", "e");
		GOOD(&world, i * 100 * S + 12 * S, "m0", "e");
	}
	CHECK_STR(world.text, "");
	/* 55 seconds so far. */
	BAD(&world, 600 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 605 * S - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, 605 * S), 0);
	CHECK_STR(world.text, "!t@605000 ");
	/* Once, until it was not down for the whole time. */
	GOOD(&world, 700 * S, "m0", "e");
	BAD(&world, 800 * S, "m0", "e");
	GOOD(&world, 1000 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 1000 * S + HOUR - 1), 0);
	CHECK_STR(world.text, "!t@605000 ");
	CHECK_INT(engine_advance(&world.engine, 1000 * S + HOUR), 0);
	CHECK_STR(world.text, "!t@605000 =t@4600000 ");
	CHECK_INT((int)world.engine.groups.count, 0);
	end(&world);
}

static void
totals_slide(void)
{
	struct world world;
	begin(&world, A_MINUTE_A_DAY);
	/* 50 seconds, which begin to slide out 5 seconds after it is down again: as much is lost as
	 * comes, until they are gone. */
	BAD(&world, 100 * S, "m0", "e");
	GOOD(&world, 150 * S, "m0", "e");
	BAD(&world, 100 * S + HOUR - 5 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 155 * S + HOUR - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, 155 * S + HOUR), 0);
	CHECK_STR(world.text, "!t@3755000 ");
	end(&world);
}

static void
applies_all_rules(void)
{
	struct world world;
	begin(&world, "rules:\n"
		      "- {name: a, match: {errorCode: f}, count: 1, within: 1s}\n"
		      "- {name: b, match: {errorCode: e}, lasts: 1h}\n"
		      "- {name: c, match: {errorCode: e}, total: 1h, within: 2h}\n"
		      "- {name: d, all: [{errorCode: e}, {errorCode: f}], within: 5s}\n"
		      "- {name: e, match: {errorCode: e}, group: [entity.NIC], lasts: 1h,"
		      " unless: {errorCode: f}}\n"
		      "- {name: f, match: {errorCode: e}, group: [entity.NIC], count: 2,"
		      " within: 1s}\n"
		      "- {name: g, match: {errorCode: e}, count: 2, within: 1s}\n"
		      "- {name: h, match: {errorCode: f}, count: 1, within: 1s}\n");
	BAD(&world, S, NULL, "e");
	BAD(&world, S + 1000, "m0", "e");
	GOOD(&world, S + 2000, NULL, NULL);
	BAD(&world, S + 3000, NULL, "f");
	CHECK_STR(world.text, "!g@1001 !a@1003 !d@1003 !h@1003 ");
	end(&world);
}

/* Events that come behind later ones. */
static void
stragglers(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	BAD(&world, 100 * S, "m0", "e");
	BAD(&world, 3650 * S, "m0", "e");
	BAD(&world, 3701 * S, "m0", "e");
	/* No three are within an hour; and then the first three of five are. */
	BAD(&world, 40 * S, "m0", "e");
	CHECK_STR(world.text, "");
	BAD(&world, 60 * S, "m0", "e");
	CHECK_STR(world.text, "!r@3701000 ");
	/* Its time ends with the last. */
	CHECK_INT(engine_advance(&world.engine, 7301 * S - 1), 0);
	CHECK_STR(world.text, "!r@3701000 ");
	CHECK_INT(engine_advance(&world.engine, 7301 * S), 0);
	CHECK_STR(world.text, "!r@3701000 =r@7301000 ");
	end(&world);

	/* What is of the same moment is no straggler. */
	begin(&world, FOUR_MINUTES);
	BAD(&world, 100 * S, "m0", "e");
	GOOD(&world, 100 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "");
	end(&world);

	begin(&world, FOUR_MINUTES);
	BAD(&world, 100 * S, "m0", "e");
	/* They are of the time before. */
	GOOD(&world, 99 * S, "m0", "e");
	BAD(&world, 99 * S, "m0", "u");
	CHECK_INT(engine_advance(&world.engine, 340 * S), 0);
	CHECK_STR(world.text, "!d@340000 ");
	/* What has lasted for long enough by now is found now. */
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	BAD(&world, HOUR - 241 * S, "m1", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!d@340000 !d@3600000 ");
	end(&world);

	begin(&world, A_MINUTE_A_DAY);
	BAD(&world, 100 * S, "m0", "e");
	GOOD(&world, 99 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 160 * S), 0);
	CHECK_STR(world.text, "!t@160000 ");
	end(&world);
}

static void
jumps_ahead(void)
{
	struct world world;
	begin(&world, FOUR_MINUTES);
	BAD(&world, 100 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 340 * S), 0);
	BAD(&world, 341 * S, "m1", "e");
	engine_jump(&world.engine, HOUR);
	CHECK_INT(engine_advance(&world.engine, HOUR + 240 * S - 1), 0);
	CHECK_STR(world.text, "!d@340000 ");
	CHECK_INT(engine_advance(&world.engine, HOUR + 240 * S), 0);
	CHECK_STR(world.text, "!d@340000 !d@3840000 ");
	/* What stood before waits for its answer. */
	GOOD(&world, HOUR + 241 * S, "m0", "e");
	CHECK_STR(world.text, "!d@340000 !d@3840000 =d@3841000 ");
	end(&world);

	begin(&world, A_MINUTE_A_DAY);
	BAD(&world, 100 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 150 * S), 0);
	engine_jump(&world.engine, 1000 * S);
	/* 50 seconds before, and 10 after. */
	CHECK_INT(engine_advance(&world.engine, 1010 * S - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, 1010 * S), 0);
	CHECK_STR(world.text, "!t@1010000 ");
	/* What counts has its time, whoever was there to see it. */
	end(&world);

	begin(&world, THREE_AN_HOUR);
	BAD(&world, S, "m0", "e");
	BAD(&world, 2 * S, "m0", "e");
	engine_jump(&world.engine, HOUR);
	BAD(&world, HOUR, "m0", "e");
	CHECK_STR(world.text, "!r@3600000 ");
	end(&world);
}

static void
jumps_back(void)
{
	struct world world;
	begin(&world, FOUR_MINUTES);
	BAD(&world, 2 * HOUR, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR + 100 * S), 0);
	engine_jump(&world.engine, HOUR);
	CHECK_INT(engine_advance(&world.engine, HOUR + 140 * S - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, HOUR + 140 * S), 0);
	CHECK_STR(world.text, "!d@3740000 ");
	/* It is later than what it answers. */
	GOOD(&world, HOUR + 141 * S, "m0", "e");
	CHECK_STR(world.text, "!d@3740000 =d@3741000 ");
	end(&world);

	begin(&world, THREE_AN_HOUR);
	BAD(&world, 3 * HOUR, "m0", "e");
	BAD(&world, 3 * HOUR + S, "m0", "e");
	engine_jump(&world.engine, 2 * HOUR);
	BAD(&world, 3 * HOUR - 2 * S, "m0", "e");
	CHECK_STR(world.text, "!r@10798000 ");
	end(&world);

	begin(&world, A_MINUTE_A_DAY);
	BAD(&world, 2 * HOUR, "m0", "e");
	GOOD(&world, 2 * HOUR + 40 * S, "m0", "e");
	BAD(&world, 2 * HOUR + 50 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR + 60 * S), 0);
	engine_jump(&world.engine, HOUR);
	CHECK_INT(engine_advance(&world.engine, HOUR + 10 * S - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, HOUR + 10 * S), 0);
	CHECK_STR(world.text, "!t@3610000 ");
	/* As it was for a minute of the last hour. */
	GOOD(&world, HOUR + 10 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR + 10 * S), 0);
	CHECK_STR(world.text, "!t@3610000 =t@7210000 ");
	end(&world);
}

static void
twins(void)
{
	struct world world;
	begin(&world,
		"rules:\n"
		"- {name: a, check: c, match: {errorCode: e}, group: [entity.NIC], lasts: 1m}\n"
		"- {name: b, check: c, match: {errorCode: e}, group: [entity.NIC], lasts: 2m}\n"
		"- {name: d, check: c, match: {errorCode: e}, lasts: 2m}\n"
		"- {name: e, check: c, match: {errorCode: e}, group: [message], lasts: 2m}\n"
		"- {name: f, match: {errorCode: e}, group: [entity.NIC], lasts: 2m}\n");
	BAD(&world, S, "m0", "e");
	BAD(&world, 2 * S, "m1", "e");
	GOOD(&world, 90 * S, "m1", "e");
	/* Of one NIC alone it is over; of the other there are two, which end together. */
	CHECK_STR(world.text, "!a@61000 !a@62000 =a@90000 ");
	*world.text = '\0';
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_INT(check_occurrences(world.text, "!"), 3);
	*world.text = '\0';
	GOOD(&world, HOUR, "m0", "e");
	CHECK_INT(check_occurrences(world.text, "="), 3);
	CHECK(strstr(world.text, "=a") == NULL);
	CHECK_HAS(world.text, "=b@3600000 ");
	CHECK_HAS(world.text, "=d@3600000 ");
	CHECK_HAS(world.text, "=f@3600000 ");
	end(&world);
}

/* What stands, in the order in which it began: the rule's name, `!` if receivers believe that it is
 * fatal, a blank. */
static const char *
standing(struct world *world)
{
	*world->text = '\0';
	for (size_t i = 0; i < world->engine.groups.count; i++) {
		const struct group *group = world->engine.groups.items[i];
		if (!group->standing)
			continue;
		strcat(world->text, group->rule->name);
		strcat(world->text, engine_is_fatal(&world->engine, group) ? "! " : " ");
	}
	return world->text;
}

static void
worst_of_twins(void)
{
	struct world world;
	begin(&world,
		"rules:\n"
		"- {name: a, check: c, match: {errorCode: e}, group: [entity.NIC], lasts: 1m,\n"
		"   action: NONE}\n"
		"- {name: b, check: c, match: {errorCode: e}, group: [entity.NIC], lasts: 2m,\n"
		"   action: REPLACE_VM}\n"
		"- {name: d, match: {errorCode: e}, group: [entity.NIC], lasts: 1m, action: "
		"NONE}\n");
	BAD(&world, S, "m0", "e");
	BAD(&world, 30 * S, "m1", "e");
	CHECK_INT(engine_advance(&world.engine, 125 * S), 0);
	/* b of m1 does not stand yet. */
	CHECK_STR(standing(&world), "a! b! d a d ");
	end(&world);
}

static void
rests_on(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	for (unsigned i = 1; i <= 3; i++)
		BAD(&world, i * S, "m0", "e");
	CHECK_STR(world.evidence, "1000 2000 3000 ");
	for (unsigned i = 4; i <= 12; i++)
		BAD(&world, i * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR), 0);
	CHECK_STR(world.text, "!r@3000 =r@3612000 ");
	CHECK_STR(world.evidence, "5000 6000 7000 8000 9000 10000 11000 12000 ");
	end(&world);
}

static void
acts(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	world.strategy = "STORE_ONLY";
	for (unsigned i = 1; i <= 3; i++)
		BAD(&world, i * S, "m0", "e");
	CHECK_STR(world.text, "!r@3000 ");
	CHECK(!world.did_act);
	/* What comes later does not make more of it. */
	world.strategy = NULL;
	BAD(&world, 4 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR), 0);
	CHECK(!world.did_act);
	BAD(&world, 3 * HOUR, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 3 * HOUR + 1, "m0", "e");
	BAD(&world, 3 * HOUR + 2, "m0", "e");
	CHECK(world.did_act);
	end(&world);
}

static void
bounded(void)
{
	struct world world;
	char nic[16];
	begin(&world, THREE_AN_HOUR);
	for (unsigned i = 0; i < GROUPS_MAX + 10; i++) {
		snprintf(nic, sizeof nic, "m%u", i);
		BAD(&world, 1 + i, nic, "e");
	}
	CHECK_INT((int)world.engine.groups.count, GROUPS_MAX);
	CHECK_INT((int)world.budget.refused, 10);
	/* The oldest went, and the newest count on. */
	for (unsigned i = 0; i < 2; i++) {
		BAD(&world, 200000 + i, "m0", "e");
		BAD(&world, 200000 + i, nic, "e");
	}
	CHECK_STR(world.text, "!r@200 ");
	end(&world);
}

static const struct check_test tests[] = {
	{"the third within an hour is a finding, and not when the first is an hour ago", counts},
	{"what is said once more because a silence is over counts for nothing",
		counts_nothing_twice},
	{"a finding is one until nothing has come for the window, and then it is over",
		is_one_until_the_window_is_empty},
	{"events of another NIC or code are not counted together, and good ones never",
		tells_groups_apart},
	{"all kinds within the time are a finding, in whatever order", all_kinds},
	{"of each kind the latest event counts, whatever comes behind it", keeps_the_latest_kinds},
	{"a sequence is found when one of each kind comes in time, each later than the one before "
	 "it",
		sequences},
	{"in a sequence nothing comes behind itself, or behind what is later or of the same moment",
		sequences_of_moments},
	{"what nothing answers in time is a finding, which ends with its answer", lasts},
	{"an answer that names less is about more, and one that names another is about that",
		is_answered_by_more},
	{"an answer about an entity is none to what is about no entity", is_not_answered_by_others},
	{"an answer needs the codes and entities of what it answers, and no other value",
		is_answered_by_its_codes_and_entities},
	{"an exception keeps a finding from being made, and ends none", excepts},
	{"what is down for so long in all is a finding, until it was not for the whole time",
		totals},
	{"what it was down for before counts as long as it is within the time", totals_slide},
	{"each rule gets each event, and none keeps another from it", applies_all_rules},
	{"what comes behind later events counts, and changes nothing that began after it",
		stragglers},
	{"after a time of which nobody knows, what lasts has to last anew", jumps_ahead},
	{"a clock that is set back takes all moments with it", jumps_back},
	{"what two rules have found under one name is over when both are", twins},
	{"what two rules have found under one name is as bad as the worse", worst_of_twins},
	{"a finding rests on the events that it counted, the newest eight", rests_on},
	{"whether somebody acts on a finding is as when it was made", acts},
	{"more groups than are kept push out the oldest, which is counted", bounded},
};
CHECK_MAIN(tests)
