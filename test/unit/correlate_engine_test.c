/* Unit tests of correlate's engine: applying rules to events in the order of their times
 * (spec#derived-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/engine.h"

#include "check.h"

#include <stdio.h>

#define S UINT64_C(1000000)
#define MINUTE (60 * S)
#define HOUR (60 * MINUTE)

/* The findings so far: `!`, `=` or `+` (again), the rule's first letter, `@` and milliseconds, a
 * blank. */
struct world {
	struct rules rules;
	struct groups_budget budget;
	struct engine engine;
	const char *strategy; /* of the events; NULL: the default */
	char text[4096];
	/* of the latest finding: whether it is acted on, and its evidence */
	bool did_act;
	char evidence[1024];
};

static int
note(void *context, const struct finding *finding)
{
	struct world *world = context;
	size_t used = strlen(world->text);
	static const char signs[] = {
		[FINDING_NEW] = '!', [FINDING_OVER] = '=', [FINDING_AGAIN] = '+'};
	if (finding->kind > FINDING_AGAIN)
		return 0;
	(void)snprintf(world->text + used, sizeof world->text - used, "%c%c@%u ",
		signs[finding->kind], *finding->group->rule->name,
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

/* Accept a record and take ownership of it. */
static void
accept(struct world *world, uint64_t at_us, json_t *record)
{
	struct sighting *sighting = sighting_new(record);
	CHECK(record != NULL && sighting != NULL);
	CHECK_INT(engine_accept(&world->engine, at_us, sighting), 0);
	sighting_release(sighting);
	json_decref(record);
}

/* Accept an event about port 1 of a NIC. Without `code` or `nic` if that is NULL. Its id is its
 * time in milliseconds. */
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
	/* An hour after the last event, to the microsecond. */
	CHECK_INT(engine_advance(&world.engine, 260 * MINUTE - 1), 0);
	CHECK_STR(world.text, "!r@1800000 ");
	CHECK_INT(engine_advance(&world.engine, 260 * MINUTE), 0);
	CHECK_STR(world.text, "!r@1800000 =r@15600000 ");
	CHECK_INT((int)world.engine.groups.count, 0);
	/* A new finding begins. */
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
		/* Another code, no group value, and a healthy event. */
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

/* An event that is older than one of its kind before. */
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

/* Each letter is an event, a second after the one before; a blank is none. */
static void
sequences(void)
{
	static const struct {
		const char *codes, *found;
	} rows[] = {
		{"abc", "!s@3000 =s@13000 "},
		/* Not in order, or not all of them. */
		{"cba", ""},
		{"acb", ""},
		{"bc", ""},
		{"ab", ""},
		/* Other events in between do not matter, nor do repeated ones. */
		{"axb bcc", "!s@6000 =s@17000 "},
		/* Only the first a belongs to the pattern, or the second as well. */
		{"abac", "!s@3000 =s@14000 "},
		{"abxxac", "!s@5000 =s@16000 "},
		/* The sequence is counted from the latest a. */
		{"a      abc", "!s@10000 =s@20000 "},
		{"a       bc", "!s@10000 =s@20000 "},
		{"a        bc", ""},
		{"a       b c", ""},
		/* An event that completes the sequence does so once. */
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
			/* Events of another NIC are another group. */
			if (i % 2 == 0 && *code == 'a')
				BAD(&world, at_us, "m1", text);
		}
		CHECK_INT(engine_advance(&world.engine, HOUR), 0);
		CHECK_STR(world.text, rows[i].found);
		CHECK_INT((int)world.engine.groups.count, 0);
		end(&world);
	}
}

/* Events of the same moment have no order, and one event is only one of a sequence. */
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
	/* Late events do not count either. */
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
		/* A repeated event is nothing new. */
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

/* A healthy event is not fatal, and may have another strategy than the event it answers. */
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

/* A key has only the first code and the first NIC. */
static void
is_answered_by_codes_and_nics_beyond_the_first(void)
{
	struct world world;
	begin(&world, "rules: [{name: d, match: {checkName: C}, group: [entity.NIC, errorCode],"
		      " lasts: 4m}]");
	BAD(&world, S, "m0", "e");
	accept(&world, 2 * S,
		check_json_new("{'kind':'event','checkName':'C','nodeName':'n1','isHealthy':true,"
			       "'errorCode':['d','e'],'entitiesImpacted':[{'entityType':'NIC',"
			       "'entityValue':'m0'}]}"));
	static const char two[] =
		"{'kind':'event','checkName':'C','nodeName':'n1','isHealthy':false,"
		"'errorCode':['e'],'entitiesImpacted':[{'entityType':'NIC','entityValue':'m0'},"
		"{'entityType':'NIC','entityValue':'m1'}]}";
	accept(&world, 3 * S, check_json_new(two));
	accept(&world, 4 * S,
		check_json_new("{'kind':'event','checkName':'C','nodeName':'n1','isHealthy':true,"
			       "'errorCode':['e'],'entitiesImpacted':[{'entityType':'NIC',"
			       "'entityValue':'m1'},{'entityType':'NIC','entityValue':'m0'}]}"));
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "");
	end(&world);
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
	/* Nor does an answer without an entity value. */
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
	/* A finding that was made stays until it is answered. */
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
		/* A repeated event does not restart the downtime. */
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
	CHECK_STR(world.evidence, "100000 200000 300000 400000 500000 600000 ");
	/* Reported once, until it was up for the whole window. */
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
	/* 50 seconds, which begin to leave the window 5 seconds after it is down again. As much
	 * leaves as is added until they are gone. */
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

/* Late events. */
static void
stragglers(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	BAD(&world, 100 * S, "m0", "e");
	BAD(&world, 3650 * S, "m0", "e");
	BAD(&world, 3701 * S, "m0", "e");
	/* No three are within an hour; later the first three of five are. */
	BAD(&world, 40 * S, "m0", "e");
	CHECK_STR(world.text, "");
	BAD(&world, 60 * S, "m0", "e");
	CHECK_STR(world.text, "!r@3701000 ");
	/* The finding's time ends with the last event. */
	CHECK_INT(engine_advance(&world.engine, 7301 * S - 1), 0);
	CHECK_STR(world.text, "!r@3701000 ");
	CHECK_INT(engine_advance(&world.engine, 7301 * S), 0);
	CHECK_STR(world.text, "!r@3701000 =r@7301000 ");
	end(&world);

	/* An event of the same moment is not late. */
	begin(&world, FOUR_MINUTES);
	BAD(&world, 100 * S, "m0", "e");
	GOOD(&world, 100 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "");
	end(&world);

	begin(&world, FOUR_MINUTES);
	BAD(&world, 100 * S, "m0", "e");
	/* These events come from before that moment. */
	GOOD(&world, 99 * S, "m0", "e");
	BAD(&world, 99 * S, "m0", "u");
	CHECK_INT(engine_advance(&world.engine, 340 * S), 0);
	CHECK_STR(world.text, "!d@340000 ");
	/* A condition that has lasted long enough by now is found now. */
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
	/* A finding that stood before waits for its answer. */
	GOOD(&world, HOUR + 241 * S, "m0", "e");
	CHECK_STR(world.text, "!d@340000 !d@3840000 =d@3841000 ");
	end(&world);

	begin(&world, A_MINUTE_A_DAY);
	BAD(&world, 100 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 150 * S), 0);
	engine_jump(&world.engine, 1000 * S);
	/* 50 seconds before the gap, and 10 after. */
	CHECK_INT(engine_advance(&world.engine, 1010 * S - 1), 0);
	CHECK_STR(world.text, "");
	CHECK_INT(engine_advance(&world.engine, 1010 * S), 0);
	CHECK_STR(world.text, "!t@1010000 ");
	/* A count ends with its window, whether or not correlate ran meanwhile. */
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
	/* The answer is later than its event. */
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
	/* It was down for a minute of the last hour. */
	GOOD(&world, HOUR + 10 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, 2 * HOUR + 10 * S), 0);
	CHECK_STR(world.text, "!t@3610000 =t@7210000 ");
	end(&world);
}

/* A time of 0 would mean that there is none. */
static void
jumps_back_to_the_beginning(void)
{
	struct world world;
	begin(&world, "rules: [{name: b, all: [{errorCode: x}, {errorCode: y}], within: 1m}]");
	BAD(&world, 10 * S, "m0", "x");
	CHECK_INT(engine_advance(&world.engine, 15 * S), 0);
	engine_jump(&world.engine, 5 * S);
	world.strategy = "STORE_ONLY";
	BAD(&world, 6 * S, "m0", "y");
	CHECK_STR(world.text, "!b@6000 ");
	CHECK(world.did_act);
	end(&world);
}

static void
acts_after_a_jump_back(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	BAD(&world, 3 * HOUR, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 3 * HOUR + 30 * MINUTE, "m0", "e");
	engine_jump(&world.engine, 2 * HOUR + 30 * MINUTE);
	BAD(&world, 2 * HOUR + 50 * MINUTE, "m0", "e");
	/* The first event, now at 2 hours, is the only one to act on. */
	CHECK_STR(world.text, "!r@10200000 ");
	CHECK(world.did_act);
	end(&world);

	begin(&world, THREE_AN_HOUR);
	BAD(&world, 3 * HOUR, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 3 * HOUR + 30 * MINUTE, "m0", "e");
	engine_jump(&world.engine, 2 * HOUR + 30 * MINUTE);
	BAD(&world, 3 * HOUR + 5 * MINUTE, "m0", "e");
	CHECK_STR(world.text, "");
	BAD(&world, 3 * HOUR + 10 * MINUTE, "m0", "e");
	CHECK_STR(world.text, "!r@11400000 ");
	CHECK(!world.did_act);
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
	/* One NIC's finding is over; the other NIC has two findings, which end together. */
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

/* The finding of `count` is over by itself, however the groups are stored. */
static void
twins_of_other_forms(void)
{
	struct world world;
	begin(&world,
		"rules:\n"
		"- {name: a, check: c, match: {errorCode: e}, group: [entity.NIC], lasts: 1m}\n"
		"- {name: b, check: c, match: {errorCode: e}, group: [entity.NIC], count: 1,\n"
		"   within: 2m}\n");
	BAD(&world, S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!b@1000 !a@61000 ");
	GOOD(&world, HOUR, "m0", "e");
	CHECK_STR(world.text, "!b@1000 !a@61000 =a@3600000 ");
	end(&world);
}

/* Groups that have only the first of their values in common. */
static void
are_no_twins(void)
{
	struct world world;
	begin(&world, "rules: [{name: d, match: {errorCode: e}, lasts: 1m,"
		      " group: [entity.NIC, processingStrategy]}]");
	BAD(&world, S, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 2 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	GOOD(&world, HOUR, "m0", "e");
	CHECK_STR(world.text, "!d@61000 !d@62000 =d@3600000 =d@3600000 ");
	end(&world);
}

/* Receivers end all findings of a check by a healthy event without entities, and those of one NIC
 * by one about the NIC. */
static void
ends_others(void)
{
	struct world world;
	begin(&world, "rules: [{name: r, match: {checkName: C}, group: [errorCode], count: 1,"
		      " within: 1m}]");
	BAD(&world, S, "m0", "e");
	BAD(&world, 30 * S, "m0", "f");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!r@1000 !r@30000 =r@61000 +r@61000 =r@90000 ");
	end(&world);
	begin(&world, "rules: [{name: r, match: {errorCode: e}, count: 1, within: 1m,"
		      " group: [entity.NIC, processingStrategy]}]");
	BAD(&world, S, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 30 * S, "m1", "e");
	BAD(&world, 40 * S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
	CHECK_STR(world.text, "!r@1000 !r@30000 !r@40000 =r@61000 +r@61000 =r@90000 =r@100000 ");
	end(&world);
}

/* What ends at the same time does not come again in between. */
static void
ends_with_others(void)
{
	struct world world;
	begin(&world, "rules: [{name: r, match: {checkName: C}, group: [errorCode], lasts: 1m}]");
	BAD(&world, S, "m0", "e");
	BAD(&world, 2 * S, "m0", "f");
	BAD(&world, 3 * S, "m1", "g");
	GOOD(&world, HOUR, "m0", NULL);
	CHECK_STR(world.text, "!r@61000 !r@62000 !r@63000 =r@3600000 =r@3600000 +r@3600000 ");
	end(&world);
}

/* Return the standing findings in the order in which they began: the rule's name, `!` if receivers
 * take it as fatal, a blank. */
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
	/* Later events do not change that. */
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

/* A group lives on while events keep coming, and has marks that are older than its window. */
static void
is_made_by_the_events_of_its_window(void)
{
	struct world world;
	begin(&world, THREE_AN_HOUR);
	BAD(&world, S, "m0", "e");
	world.strategy = "STORE_ONLY";
	BAD(&world, 40 * MINUTE, "m0", "e");
	BAD(&world, 80 * MINUTE, "m0", "e");
	CHECK_STR(world.text, "");
	BAD(&world, 90 * MINUTE, "m0", "e");
	CHECK_STR(world.text, "!r@5400000 ");
	CHECK_STR(world.evidence, "2400000 4800000 5400000 ");
	CHECK(!world.did_act);
	end(&world);
	/* What lasts began before the time that it lasts. */
	begin(&world, FOUR_MINUTES);
	BAD(&world, S, "m0", "e");
	CHECK_INT(engine_advance(&world.engine, HOUR), 0);
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
	/* The oldest groups were evicted, and the newest still count. */
	for (unsigned i = 0; i < 2; i++) {
		BAD(&world, 200000 + i, "m0", "e");
		BAD(&world, 200000 + i, nic, "e");
	}
	CHECK_STR(world.text, "!r@200 ");
	end(&world);
}

static const struct check_test tests[] = {
	{"the third event within an hour is a finding, but not if the first is an hour old",
		counts},
	{"an event repeated after a silence does not count", counts_nothing_twice},
	{"a finding stands until no event came for the window", is_one_until_the_window_is_empty},
	{"events of other NICs or codes are counted apart, and healthy ones not at all",
		tells_groups_apart},
	{"events of all kinds within the window are a finding, in any order", all_kinds},
	{"of each kind the latest event counts, even if an older one arrives later",
		keeps_the_latest_kinds},
	{"a sequence is found when each kind comes in time, each later than the one before",
		sequences},
	{"in a sequence no event follows itself, a later event or one of the same moment",
		sequences_of_moments},
	{"a fault without an answer in time is a finding, which ends with the answer", lasts},
	{"an answer with fewer entities or codes answers more; one with others answers only those",
		is_answered_by_more},
	{"an answer may have the fault's code and NIC behind others",
		is_answered_by_codes_and_nics_beyond_the_first},
	{"an answer about an entity does not answer a fault without an entity",
		is_not_answered_by_others},
	{"an answer needs the codes and entities of its fault, and no other group value",
		is_answered_by_its_codes_and_entities},
	{"an exception prevents a finding but ends none", excepts},
	{"enough total downtime is a finding, until there was none for the whole window", totals},
	{"earlier downtime counts while it is within the window", totals_slide},
	{"each rule gets each event, whatever other rules do", applies_all_rules},
	{"a late event counts, and changes nothing that began after it", stragglers},
	{"after a gap in the events a condition must last its whole time again", jumps_ahead},
	{"a clock that is set back shifts all times with it", jumps_back},
	{"a clock that is set back by a whole time makes no event one without a time",
		jumps_back_to_the_beginning},
	{"whether a finding is acted on is decided by times that are set back with the clock",
		acts_after_a_jump_back},
	{"a finding of two rules under one check name is over when both are", twins},
	{"a finding of two rules under one check name is over when both are, of whatever form",
		twins_of_other_forms},
	{"findings with one different group value are over each by itself", are_no_twins},
	{"a finding that the end of another one ends for receivers is reported again", ends_others},
	{"a finding that ends at the same time as another one is not reported again",
		ends_with_others},
	{"a finding of two rules under one check name is as severe as the worse", worst_of_twins},
	{"the evidence of a finding is the newest eight events that it counted", rests_on},
	{"whether a finding is acted on is decided when it is made", acts},
	{"evidence, and whether a finding is acted on, come of the events of its window alone",
		is_made_by_the_events_of_its_window},
	{"groups beyond the limit evict the oldest and are counted", bounded},
};
CHECK_MAIN(tests)
