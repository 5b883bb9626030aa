/* Unit tests of correlate's lasting: several conditions in one group of `lasts` or `total`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/lasting.h"

#include "../../tools/correlate/memory.h"
#include "check.h"
#include "randomness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define S UINT64_C(1000000)

/* How findings are written. */
static const char letters[FINDING_KIND_N] = {
	[FINDING_NEW] = '!',
	[FINDING_OVER] = '=',
	[FINDING_AGAIN] = '+',
	[FINDING_PASSED] = 'p',
	[FINDING_ANSWERED] = 'a',
	[FINDING_EXCEPTED] = 'x',
	[FINDING_OPEN] = 'o',
};

#define TEXT_SIZE 16384

/* The findings so far: the letter and the second; for `lasts` also the ids of the evidence, `,` and
 * the id of the group's event, and `-` if nobody acts on a new one. */
struct world {
	struct rules rules;
	struct nodes *nodes;
	char text[TEXT_SIZE];
};

static void
put(char text[static TEXT_SIZE], const char *format, ...)
{
	size_t used = strlen(text);
	va_list arguments;
	va_start(arguments, format);
	CHECK(vsnprintf(text + used, TEXT_SIZE - used, format, arguments) < 100);
	va_end(arguments);
}

static int
note(void *context, struct node *node, const struct finding *finding)
{
	struct world *world = context;
	const struct group *group = finding->group;
	size_t count;
	const struct group_mark *marks = groups_evidence(group, &count);
	(void)node;
	put(world->text, "%c%u", letters[finding->kind], (unsigned)(finding->at_us / S));
	if (group->rule->form == RULE_LASTS) {
		for (size_t i = 0; i < count; i++)
			put(world->text, " %s", marks[i].id);
		put(world->text, ",%s%s", group->event->fields[SIGHTING_ID],
			finding->kind == FINDING_NEW && !group->did_act ? "-" : "");
	}
	put(world->text, " ");
	return 0;
}

static struct nodes *
nodes_new(struct world *world)
{
	struct nodes *nodes = calloc(1, sizeof *nodes);
	CHECK(nodes != NULL);
	*nodes = (struct nodes){.rules = &world->rules,
		.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
		.last_us = UINT64_MAX,
		.found = note,
		.context = world,
		.budget = {.most = GROUPS_MAX}};
	return nodes;
}

static void
begin(struct world *world, const char *yaml)
{
	memset(world, 0, sizeof *world);
	CHECK_INT(rules_parse(&world->rules, "rules", yaml), 0);
	world->nodes = nodes_new(world);
}

static void
drop_nodes(struct world *world)
{
	nodes_fini(world->nodes);
	CHECK_INT((int)world->nodes->budget.groups, 0);
	free(world->nodes);
}

static void
end(struct world *world)
{
	drop_nodes(world);
	rules_fini(&world->rules);
}

/* Go on with what the state has. */
static void
restart(struct world *world)
{
	struct rec_error error = {.reason = ""};
	json_t *kept = memory_encode_new(world->nodes);
	drop_nodes(world);
	world->nodes = nodes_new(world);
	CHECK_INT(memory_decode(world->nodes, kept, &error), 0);
	CHECK_STR(error.reason, "");
	json_t *again = memory_encode_new(world->nodes);
	CHECK(json_equal(kept, again));
	json_decref(again);
	json_decref(kept);
}

/* What happens at a second. The id of an event is its second. */
struct happening {
	unsigned at;
	enum { BAD, GOOD, UNLESS, OTHER } kind;
	unsigned condition; /* number of its NIC; ALL: without a NIC */
	bool stored_only;
};

#define CONDITIONS 3
#define ALL 99

static struct engine *
engine_of(struct world *world)
{
	return &nodes_find_or_add(world->nodes, "n")->engine;
}

static void
tell(struct world *world, struct happening what)
{
	static const char *const codes[] = {"e", "e", "u", "x"};
	char text[512], about[128] = "";
	if (what.condition != ALL)
		(void)snprintf(about, sizeof about,
			"{\"entityType\":\"NIC\",\"entityValue\":\"m%u\"}", what.condition);
	int length = snprintf(text, sizeof text,
		"{\"kind\":\"event\",\"checkName\":\"C\",\"nodeName\":\"n\",\"id\":\"%u\","
		"\"isHealthy\":%s,\"errorCode\":[\"%s\"],\"processingStrategy\":\"%s\","
		"\"entitiesImpacted\":[%s]}",
		what.at, what.kind == GOOD ? "true" : "false", codes[what.kind],
		what.stored_only ? "STORE_ONLY" : "EXECUTE_REMEDIATION", about);
	struct sighting *event = sighting_read_new(text, (size_t)length);
	if (!CHECK(event != NULL))
		return;
	/* Not nodes_accept(): late events count, too. */
	CHECK_INT(engine_accept(engine_of(world), what.at * S, event), 0);
	sighting_release(event);
}

#define LASTS 30
#define TOTAL 60
#define WITHIN 120
#define LASTS_YAML "rules: [{name: l, match: {errorCode: e}, lasts: 30s, unless: {errorCode: u}}]"
#define TOTAL_YAML "rules: [{name: t, match: {errorCode: e}, total: 60s, within: 2m}]"

/* --- stories --- */

/* Play a story: words like `+0@10`, a condition that begins; `-0@20`, one that is answered;
 * `~*@20`, an exception; `@30`, nothing but time; `j@99`, the clock jumps there. `*` has no NIC,
 * and a `s` behind it means STORE_ONLY. If `restarts`, restart behind each word. */
static void
play(struct world *world, const char *story, bool restarts)
{
	static const char kinds[] = "+-~";
	for (const char *word = story; *word != '\0'; word += strcspn(word, " ")) {
		word += strspn(word, " ");
		const char *kind = strchr(kinds, *word);
		const char *at = strchr(word, '@') + 1;
		unsigned second = (unsigned)strtoul(at, NULL, 10);
		struct engine *engine = engine_of(world);
		if (kind != NULL)
			tell(world, (struct happening){.at = second,
					    .kind = (unsigned)(kind - kinds),
					    .condition = word[1] == '*' ? ALL
									: (unsigned)(word[1] - '0'),
					    .stored_only = at[strspn(at, "0123456789")] == 's'});
		else if (*word == 'j')
			engine_jump(engine, second * S);
		else
			CHECK_INT(engine_advance(engine, second * S), 0);
		if (restarts)
			restart(world);
	}
}

struct row {
	const char *story, *found;
};

static void
play_all(const char *yaml, const struct row *rows, size_t count)
{
	static struct world world;
	for (size_t i = 0; i < 2 * count; i++) {
		const struct row *row = &rows[i / 2];
		check_row("%s%s", row->story, i % 2 == 0 ? "" : ", with restarts");
		begin(&world, yaml);
		play(&world, row->story, i % 2 == 1);
		CHECK_STR(world.text, row->found);
		end(&world);
	}
}

static void
lasts(void)
{
	static const struct row rows[] = {
		/* The time of the oldest condition that is still open counts. */
		{"+0@10 +1@20 @99", "!40 10 20,10 "},
		{"+0@10 +1@20 -0@30 @99", "!50 20,20 "},
		{"+0@10 +1@20 -1@30 @99", "!40 10,10 "},
		{"+0@10 +1@15 -0@20 +0@25 -1@30 @99", "!55 25,25 "},
		{"+0@10 +1@20 -0@30 -1@40 @99", "a40 20,20 "},
		{"+0@10 +1@20 -*@30 @99", "a30 10 20,10 "},
		/* An event of an open condition is nothing new. */
		{"+0@10 +1@20 +1@29 -0@30 @99", "!50 20,20 "},
		/* A finding is over with the last one, whenever it began. */
		{"+0@10 +1@20 -0@45 +2@50 -1@60 @65 -2@70", "!40 10 20,10 =70 50,50 "},
		/* Late events. */
		{"+1@20 +0@10 @99", "!40 10 20,10 "},
		{"+0@10 +1@20 -*@15 @99", "!50 20,20 "},
		{"+0@10 +1@20 ~*@15 @99", "!50 20,20 "},
		{"+1@20 @60 +0@10 -1@70", "!50 20,20 "},
		/* An exception is one for all. */
		{"+0@10 +1@20 ~*@25 @99", "x25 10 20,10 "},
		{"+0@10 +1@20 @40 ~*@50 -*@60", "!40 10 20,10 =60 10 20,10 "},
		/* Who acts on a finding acts on one of its events. */
		{"+0@10s +1@20 @40", "!40 10 20,10 "},
		{"+0@10s +1@20 -1@30 @40", "!40 10,10- "},
		{"+0@10 +1@20s -0@30 @50", "!50 20,20- "},
		/* Of many, the oldest are the evidence. */
		{"+0@1 +1@2 +2@3 +3@4 +4@5 +5@6 +6@7 +7@8 +8@9 +9@10 @40",
			"!31 1 2 3 4 5 6 7 8,1 "},
	};
	play_all(LASTS_YAML, rows, CHECK_COUNT(rows));
}

static void
totals(void)
{
	static const struct row rows[] = {
		{"+0@10 +1@50 -0@60 @99", "!70 "},
		{"+0@10 +1@20 -0@30 -1@40 @200", "p160 "},
		{"+0@10 +1@20 @90 -0@100 @250 -1@260 @380", "!70 =380 "},
		/* What is open when the last late answer comes was so until the newest began. */
		{"+0@10 +1@20 -1@60 -0@15 +0@80 @200", "!130 "},
	};
	play_all(TOTAL_YAML, rows, CHECK_COUNT(rows));
}

static void
jumps(void)
{
	static const struct row lasting[] = {
		/* Each condition lasts anew. */
		{"+0@10 +1@20 j@100 @200", "!130 10 20,10 "},
		{"+0@10 +1@20 j@100 -0@105 @200", "!130 20,20 "},
		{"+0@10 j@100 +1@110 -0@115 @200", "!140 110,110 "},
		/* An event from before the gap answers what began before it. */
		{"+0@10 +1@20 j@100 -0@50 -1@60", "a100 20,20 "},
		/* A finding stays one. */
		{"+0@10 +1@20 @40 j@100 -0@105 @199 -1@200", "!40 10 20,10 =200 20,20 "},
		/* Set back by 500 seconds. */
		{"+0@1010 +1@1020 @1025 j@525 -0@526 @600", "!550 1020,1020 "},
		{"+0@1010 +1@1020 @1025 j@525 -0@510 -1@519 @600", "!550 1020,1020 "},
		/* And by 10 after a gap. */
		{"+0@10 +1@20 j@100 @105 j@95 -0@96 @200", "!120 20,20 "},
	};
	static const struct row total[] = {
		{"+0@10 +1@20 j@40 -0@45 @200", "!90 "},
		{"+0@1010 +1@1020 @1025 j@525 -0@526 @600", "!570 "},
		/* What is up stays up. */
		{"+0@10 -0@20 j@40 @200", "p140 "},
	};
	play_all(LASTS_YAML, lasting, CHECK_COUNT(lasting));
	play_all(TOTAL_YAML, total, CHECK_COUNT(total));
}

/* --- a list that correlate does not write --- */

#define EVENT(nic) \
	"{'checkName':'C','errorCode':['e'],'entitiesImpacted':[{'entityType':'NIC'," \
	"'entityValue':'" nic "'}]}"

static void
refuses(void)
{
	static const struct {
		const char *open;
		bool is_accepted;
	} rows[] = {
		{"[[1," EVENT("m0") "]]", true},
		{"[]", false},
		{"{}", false},
		{"null", false},
		{"[[1]]", false},
		{"[[null," EVENT("m0") "]]", false},
		{"[[1,'event']]", false},
		{"[[1," EVENT("m0") "],[2," EVENT("m0") "]]", false},
		/* Of another group, or of none. */
		{"[[1," EVENT("m1") "]]", false},
		{"[[1,{'checkName':'C'}]]", false},
	};
	/* Which rules have open conditions: the last one no more, and the first never. */
	static const struct {
		const char *form;
		const char *story;
		bool is_open;
	} forms[] = {
		{"count: 9, within: 1h", "+0@10", false},
		{"lasts: 1h", "+0@10", true},
		{"total: 1h, within: 2h", "+0@10", true},
		{"total: 1h, within: 2h", "+0@10 -0@20", false},
	};
	static struct world world;
	for (size_t form = 0; form < CHECK_COUNT(forms); form++) {
		char yaml[128];
		(void)snprintf(yaml, sizeof yaml,
			"rules: [{name: r, match: {errorCode: e}, group: [entity.NIC], %s}]",
			forms[form].form);
		begin(&world, yaml);
		play(&world, forms[form].story, false);
		json_t *kept = memory_encode_new(world.nodes);
		json_t *groups = json_object_get(json_array_get(kept, 0), "groups");
		json_t *group = json_array_get(groups, 0);
		/* One open condition needs no list. */
		CHECK(json_object_get(group, "open") == NULL);
		CHECK(json_object_get(group, "from_us") == NULL);
		for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
			struct rec_error error = {.reason = ""};
			check_row("%s: %s", forms[form].form, rows[i].open);
			json_object_set_new(group, "open", check_json_new(rows[i].open));
			drop_nodes(&world);
			world.nodes = nodes_new(&world);
			bool is_empty = strcmp(rows[i].open, "[]") == 0;
			bool accepted = memory_decode(world.nodes, kept, &error) == 0;
			CHECK(accepted == (forms[form].is_open ? rows[i].is_accepted : is_empty));
			CHECK(accepted == (*error.reason == '\0'));
		}
		json_decref(kept);
		end(&world);
	}
}

/* States before 2026-11-29 have the group's event alone. */
static void
reads_older_states(void)
{
	static const struct {
		const char *yaml, *then, *found;
	} rows[] = {
		{LASTS_YAML, "-1@25 -0@30", "a30 10 20,10 "},
		{TOTAL_YAML, "-0@25 -1@30 @200", "p150 "},
	};
	static struct world world;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		check_row("%s", rows[i].yaml);
		begin(&world, rows[i].yaml);
		play(&world, "+0@10 +1@20", false);
		json_t *kept = memory_encode_new(world.nodes);
		json_t *groups = json_object_get(json_array_get(kept, 0), "groups");
		CHECK_INT(json_object_del(json_array_get(groups, 0), "open"), 0);
		drop_nodes(&world);
		world.nodes = nodes_new(&world);
		CHECK_INT(memory_decode(world.nodes, kept, &error), 0);
		play(&world, rows[i].then, true);
		CHECK_STR(world.text, rows[i].found);
		json_decref(kept);
		end(&world);
	}
}

/* --- a slow and obvious model --- */

#define SECONDS 5000
struct model {
	unsigned since[CONDITIONS]; /* second at which it began; 0: not open */
	bool acts[CONDITIONS];      /* not STORE_ONLY */
	bool is_found;
	char text[TEXT_SIZE];
};

static unsigned
count_open(const struct model *model)
{
	unsigned count = 0;
	for (unsigned i = 0; i < CONDITIONS; i++)
		count += model->since[i] != 0;
	return count;
}

static void
change(struct model *model, struct happening what)
{
	for (unsigned i = 0; i < CONDITIONS; i++) {
		if (what.kind == OTHER || (what.condition != i && what.condition != ALL))
			continue;
		if (what.kind != BAD)
			model->since[i] = 0;
		else if (model->since[i] == 0) {
			model->since[i] = what.at;
			model->acts[i] = !what.stored_only;
		}
	}
}

/* Write a decision about `lasts`: the seconds at which the open conditions began are their ids. */
static void
decide(struct model *model, enum finding_kind kind, unsigned at)
{
	unsigned first = 0;
	bool acts = false;
	put(model->text, "%c%u", letters[kind], at);
	for (unsigned second = 1; second <= at; second++)
		for (unsigned i = 0; i < CONDITIONS; i++)
			if (model->since[i] == second) {
				put(model->text, " %u", second);
				first = first == 0 ? second : first;
				acts = acts || model->acts[i];
			}
	put(model->text, ",%u%s", first, kind == FINDING_NEW && !acts ? "- " : " ");
}

static void
model_lasts(struct model *model, const struct happening *story)
{
	for (unsigned second = 1; second < SECONDS; second++) {
		for (unsigned i = 0; i < CONDITIONS && !model->is_found; i++)
			if (model->since[i] != 0 && second - model->since[i] >= LASTS) {
				decide(model, FINDING_NEW, second);
				model->is_found = true;
			}
		if (story->at != second)
			continue;
		struct model before = *model;
		struct happening what = *story++;
		if (what.kind == UNLESS && model->is_found)
			continue;
		change(model, what);
		if (count_open(&before) == 0 || count_open(model) > 0)
			continue;
		enum finding_kind kind = what.kind == UNLESS ? FINDING_EXCEPTED
					 : model->is_found   ? FINDING_OVER
							     : FINDING_ANSWERED;
		decide(&before, kind, second);
		strcpy(model->text, before.text);
		model->is_found = false;
	}
}

static void
model_total(struct model *model, const struct happening *story)
{
	static bool down[SECONDS];
	bool has_group = false;
	unsigned up = 0; /* since when nothing is open */
	for (unsigned second = 1; second < SECONDS; second++) {
		unsigned total = 0;
		for (unsigned ago = 1; ago <= WITHIN && ago < second; ago++)
			total += down[second - ago];
		if (count_open(model) > 0 && !model->is_found && total >= TOTAL) {
			put(model->text, "!%u ", second);
			model->is_found = true;
		}
		if (count_open(model) == 0 && has_group && second - up == WITHIN) {
			put(model->text, "%c%u ", model->is_found ? '=' : 'p', second);
			model->is_found = has_group = false;
		}
		bool was_down = count_open(model) > 0;
		if (story->at == second)
			change(model, *story++);
		down[second] = count_open(model) > 0;
		has_group = has_group || down[second];
		if (was_down && !down[second])
			up = second;
	}
}

#define EVENTS 80

static void
invent(struct happening story[EVENTS + 1], uint64_t *random, bool has_unless)
{
	unsigned at = 0;
	for (size_t i = 0; i < EVENTS - 1; i++) {
		size_t chance = randomness_below(random, 20);
		at += 1 + (unsigned)randomness_below(random, 24);
		if (i > 0 && story[i - 1].condition == ALL)
			at += (unsigned)randomness_below(random, 2 * WITHIN);
		story[i] = (struct happening){.at = at,
			.kind = chance < 8    ? BAD
				: chance < 18 ? GOOD
				: has_unless  ? UNLESS
					      : OTHER,
			.condition = (unsigned)randomness_below(random, CONDITIONS),
			.stored_only = randomness_below(random, 3) > 0};
		/* An exception is about the group; and sometimes all is well for long. */
		if (story[i].kind == UNLESS || chance == 17)
			story[i].condition = ALL;
	}
	/* The time goes on after the last one. */
	CHECK(at < SECONDS - 1);
	story[EVENTS - 1] = (struct happening){.at = SECONDS - 1, .kind = OTHER};
	story[EVENTS] = (struct happening){.at = 0};
}

static void
compare(const char *yaml, bool has_unless,
	void (*run)(struct model *model, const struct happening *story), size_t kinds)
{
	uint64_t random = 1;
	size_t found[FINDING_KIND_N] = {0};
	for (unsigned round = 0; round < 200; round++) {
		static struct happening story[EVENTS + 1];
		static struct world world;
		static struct model model;
		check_row("round %u", round);
		invent(story, &random, has_unless);
		model = (struct model){.is_found = false};
		run(&model, story);
		begin(&world, yaml);
		for (size_t i = 0; i < EVENTS; i++) {
			if (randomness_below(&random, 10) == 0)
				restart(&world);
			tell(&world, story[i]);
		}
		if (!CHECK_STR(world.text, model.text))
			return;
		for (size_t kind = 0; kind < FINDING_KIND_N; kind++)
			found[kind] +=
				check_occurrences(world.text, (const char[]){letters[kind], '\0'});
		end(&world);
	}
	for (size_t kind = 0; kind < FINDING_KIND_N; kind++)
		CHECK((found[kind] > 20) == (kinds >> kind & 1));
}

static void
lasts_as_the_model(void)
{
	compare(LASTS_YAML, true, model_lasts,
		1U << FINDING_NEW | 1U << FINDING_OVER | 1U << FINDING_ANSWERED |
			1U << FINDING_EXCEPTED);
}

static void
totals_as_the_model(void)
{
	compare(TOTAL_YAML, false, model_total,
		1U << FINDING_NEW | 1U << FINDING_OVER | 1U << FINDING_PASSED);
}

static const struct check_test tests[] = {
	{"`lasts` counts from the oldest open condition, and is over with the last one", lasts},
	{"`total` counts while any condition is open", totals},
	{"after a gap each open condition starts over, and all move with a clock that is set back",
		jumps},
	{"in a state without a list of open conditions, the group's event is the only one",
		reads_older_states},
	{"a state whose open conditions do not fit their group is rejected", refuses},
	{"of random conditions, `lasts` finds what a slow model finds, whenever it is restarted",
		lasts_as_the_model},
	{"of random conditions, `total` finds what a slow model finds, whenever it is restarted",
		totals_as_the_model},
};
CHECK_MAIN(tests)
