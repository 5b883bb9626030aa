/* Unit tests of correlate's memory: the state of all nodes as JSON, written and read back
 * (spec#derived-state). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/correlate/memory.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define S UINT64_C(1000000)
#define DAY (86400 * S)

/* The findings so far: `!` or `=`, the rule's name, the node, milliseconds. */
struct world {
	struct rules rules;
	struct nodes nodes;
	char text[4096];
};

static int
note(void *context, struct node *node, const struct finding *finding)
{
	struct world *world = context;
	size_t used = strlen(world->text);
	if (finding->kind > FINDING_OVER)
		return 0;
	snprintf(world->text + used, sizeof world->text - used, "%c%s %s %u, ",
		finding->kind == FINDING_OVER ? '=' : '!', finding->group->rule->name, node->name,
		(unsigned)(finding->at_us / 1000));
	return 0;
}

/* One rule of each form. */
static const char yaml[] =
	"rules:\n"
	"- {name: count, match: {errorCode: e}, group: [entity.NIC], count: 3, within: 1h}\n"
	"- {name: all, all: [{errorCode: e}, {errorCode: f}], within: 10m}\n"
	"- {name: sequence, sequence: [{errorCode: e}, {errorCode: f}, {errorCode: e}], within: "
	"1m}\n"
	"- {name: lasts, match: {errorCode: f}, lasts: 100s}\n"
	"- {name: total, check: sum, match: {errorCode: f}, total: 150s, within: 1h}\n";

static void
begin(struct world *world, const char *text)
{
	*world = (struct world){.nodes = {.rules = &world->rules,
					.strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
					.lateness_us = 10 * S,
					.wait_us = 10 * S,
					.last_us = UINT64_MAX,
					.found = note,
					.context = world,
					.budget = {.most = GROUPS_MAX}}};
	CHECK_INT(rules_parse(&world->rules, "rules", text), 0);
}

static void
end(struct world *world)
{
	nodes_fini(&world->nodes);
	CHECK_INT((int)world->nodes.budget.groups, 0);
	rules_fini(&world->rules);
}

/* Accept the event of this number in a series about two nodes. The number is its time, in tens of
 * seconds. */
static void
tell(struct world *world, unsigned number)
{
	static const struct {
		const char *node, *code;
		bool healthy;
	} story[] = {
		{"n1", "e", false},
		{"n2", "f", false},
		{"n1", "e", false},
		{"n1", "f", false},
		{"n1", "e", false},
		{"n1", "f", true},
		{"n2", "e", false},
		{"n1", "f", false},
		{"n2", "e", false},
	};
	size_t row = number % CHECK_COUNT(story);
	/* Healthy only every second round. */
	bool healthy = story[row].healthy && number / CHECK_COUNT(story) % 2 == 1;
	json_t *record = json_pack("{s:s, s:s, s:s, s:b, s:[s], s:s, s:i, s:s, s:[{s:s, s:s}]}",
		"kind", "event", "checkName", "C", "nodeName", story[row].node, "isHealthy",
		healthy, "errorCode", story[row].code, "source", story[row].node, "seq",
		(int)number, "id", "x", "entitiesImpacted", "entityType", "NIC", "entityValue",
		"m0");
	struct sighting *event = sighting_new(record);
	CHECK(record != NULL && event != NULL);
	CHECK_INT(nodes_accept(&world->nodes, number * 10 * S, event), 0);
	sighting_release(event);
	json_decref(record);
}

#define STORY 500

/* Encode the memory of one world and decode it in another. */
static void
move(struct world *from, struct world *to)
{
	struct rec_error error = {.reason = ""};
	json_t *kept = memory_encode_new(&from->nodes);
	CHECK(kept != NULL);
	CHECK_INT(memory_decode(&to->nodes, kept, &error), 0);
	CHECK_STR(error.reason, "");
	json_t *again = memory_encode_new(&to->nodes);
	CHECK(json_equal(kept, again));
	json_decref(again);
	json_decref(kept);
}

static void
goes_on(void)
{
	struct world whole;
	begin(&whole, yaml);
	for (unsigned i = 1; i < STORY; i++)
		tell(&whole, i);
	CHECK_INT(nodes_end(&whole.nodes), 0);
	CHECK(strlen(whole.text) < sizeof whole.text - 100);
	static const char *const all[] = {"!count", "!all", "!lasts", "=lasts", "!total"};
	for (size_t i = 0; i < CHECK_COUNT(all); i++)
		CHECK_HAS(whole.text, all[i]);
	for (unsigned stop = 0; stop < 60; stop++) {
		struct world first, second;
		check_row("a restart before event %u", stop + 1);
		begin(&first, yaml);
		begin(&second, yaml);
		for (unsigned i = 1; i <= stop; i++)
			tell(&first, i);
		move(&first, &second);
		snprintf(second.text, sizeof second.text, "%s", first.text);
		for (unsigned i = stop + 1; i < STORY; i++)
			tell(&second, i);
		CHECK_INT(nodes_end(&second.nodes), 0);
		CHECK_STR(second.text, whole.text);
		end(&first);
		end(&second);
	}
	end(&whole);
}

/* A changed rule starts anew, and its finding is taken back. A changed action does not matter. */
static void
rules_change(void)
{
	static const struct {
		const char *yaml, *owed;
	} rows[] = {
		{"rules: [{name: total, check: sum, match: {errorCode: f}, total: 150s, within: 1h,"
		 " action: REPLACE_VM}]",
			"lasts"},
		{"rules: [{name: total, check: sum, match: {errorCode: f}, total: 151s, within: "
		 "1h},"
		 " {name: lasts, match: {errorCode: f}, lasts: 100s, unless: {errorCode: g}}]",
			"lasts sum"},
		{"rules: [{name: total, check: add, match: {errorCode: f}, total: 150s, within: "
		 "1h},"
		 " {name: last, match: {errorCode: f}, lasts: 100s}]",
			"lasts sum"},
		{"rules: [{name: total, check: sum, match: {errorCode: [f, g]}, total: 150s,"
		 " within: 1h}, {name: lasts, match: {errorCode: f}, lasts: 100s}]",
			"sum"},
		{"rules: [{name: total, check: sum, match: {errorCode: f}, total: 150s, within: 1h,"
		 " group: [entity.NIC]}, {name: lasts, match: {errorCode: f}, lasts: 100s}]",
			"sum"},
	};
	struct world old;
	begin(&old, "rules:\n"
		    "- {name: lasts, match: {errorCode: f}, lasts: 100s}\n"
		    "- {name: total, check: sum, match: {errorCode: f}, total: 150s, within: 1h}\n"
		    "- {name: count, match: {errorCode: e}, count: 60, within: 1h}\n");
	for (unsigned i = 1; i < 50; i++)
		if (i != 5 && i != 14)
			tell(&old, i);
	CHECK_INT(check_occurrences(old.text, "!lasts n2"), 1);
	CHECK_INT(check_occurrences(old.text, "!total n2"), 1);
	json_t *kept = memory_encode_new(&old.nodes);
	for (size_t row = 0; row < CHECK_COUNT(rows); row++) {
		struct world world;
		struct rec_error error = {.reason = ""};
		char owed[256] = "";
		check_row("%s", rows[row].yaml);
		begin(&world, rows[row].yaml);
		CHECK_INT(memory_decode(&world.nodes, kept, &error), 0);
		CHECK_STR(error.reason, "");
		const struct node *node = nodes_find_or_add(&world.nodes, "n2");
		for (const char *const *check = (const char *[]){"lasts", "sum", NULL};
			*check != NULL; check++) {
			size_t i;
			const json_t *item;
			json_array_foreach (node->owed, i, item)
				if (strcmp(json_string_value(item), *check) == 0)
					snprintf(owed + strlen(owed), sizeof owed - strlen(owed),
						"%s%s", *owed != '\0' ? " " : "", *check);
		}
		CHECK_STR(owed, rows[row].owed);
		/* The owed answer is kept until it has been reported. */
		struct world next;
		begin(&next, rows[row].yaml);
		move(&world, &next);
		end(&next);
		end(&world);
	}
	json_decref(kept);
	end(&old);
}

/* --- memory that correlate does not write --- */

/* Return true if the memory is accepted, and check that it then works; or that there is a
 * reason. */
static bool
accepts(const json_t *kept)
{
	struct world world;
	struct rec_error error = {.reason = ""};
	begin(&world, yaml);
	bool accepted = memory_decode(&world.nodes, kept, &error) == 0;
	CHECK(accepted == (*error.reason == '\0'));
	if (accepted) {
		CHECK_INT(nodes_advance(&world.nodes, DAY), 0);
		CHECK_INT(nodes_end(&world.nodes), 0);
	}
	end(&world);
	return accepted;
}

/* Replace each value of a tree by each of some values, one at a time. Return how many of the
 * results were accepted. */
static unsigned
replace_each(const json_t *root, json_t *tree)
{
	static const char *const values[] = {"null", "-1", "0", "18446744073709551615",
		"\"18446744073709551615\"", "1e300", "true", "\"\"",
		"\"0123456789012345678901234567890123456789012345678901234567890123456789\"", "[]",
		"[[]]", "[0]", "[[0, 0]]", "{}", "[{}]"};
	unsigned accepted = 0;
	size_t i, size = json_is_object(tree) ? json_object_size(tree) : json_array_size(tree);
	void *at = json_object_iter(tree);
	for (i = 0; i < size; i++) {
		json_t *old =
			json_is_object(tree) ? json_object_iter_value(at) : json_array_get(tree, i);
		json_incref(old);
		for (size_t value = 0; value < CHECK_COUNT(values); value++) {
			json_t *other = json_loads(values[value], JSON_DECODE_ANY, NULL);
			if (json_is_object(tree))
				json_object_iter_set_new(tree, at, other);
			else
				json_array_set_new(tree, i, other);
			accepted += accepts(root);
			if (json_is_object(tree))
				json_object_iter_set(tree, at, old);
			else
				json_array_set(tree, i, old);
		}
		accepted += replace_each(root, old);
		json_decref(old);
		at = json_is_object(tree) ? json_object_iter_next(tree, at) : NULL;
	}
	return accepted;
}

static void
malformed(void)
{
	struct world old;
	begin(&old, yaml);
	for (unsigned i = 1; i < 12; i++)
		tell(&old, i);
	json_t *kept = memory_encode_new(&old.nodes);
	CHECK(accepts(kept));
	CHECK(replace_each(kept, kept) > 0);
	/* The same group, or node, twice. */
	json_t *groups = json_object_get(json_array_get(kept, 0), "groups");
	CHECK(json_array_size(groups) > 1);
	json_array_append(groups, json_array_get(groups, 0));
	CHECK(!accepts(kept));
	json_decref(kept);
	end(&old);
}

/* Each row replaces a member, given as a path from a node; each is rejected. */
static void
refused(void)
{
	static const struct {
		const char *name, *value;
	} rows[] = {
		{"node", "null"},
		{"now_us", "\"18446744073709551615\""},
		{"newest_us", "null"},
		{"sources", "{\"\": 1}"},
		{"sources", "{\"01234567890123456\": 1}"},
		{"sources", "{\"a\": \"b\"}"},
		{"sources", "{\"a\": [1]}"},
		{"sources", "{\"a\": [1, 2, 3]}"},
		{"sources", "{\"a\": [1, -1]}"},
		{"waiting", "[[1, \"event\"]]"},
		{"waiting", "[[null, {}]]"},
		{"waiting", "{}"},
		{"groups", "{}"},
		{"groups", "[{}]"},
		{"owed", "[1]"},
	};
	struct world old;
	begin(&old, yaml);
	for (unsigned i = 1; i < 12; i++)
		tell(&old, i);
	json_t *kept = memory_encode_new(&old.nodes);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *copy = json_deep_copy(kept);
		check_row("%s: %s", rows[i].name, rows[i].value);
		json_object_set_new(json_array_get(copy, 0), rows[i].name,
			json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		CHECK(!accepts(copy));
		json_decref(copy);
	}
	json_decref(kept);
	end(&old);
}

/* The same for a group, found by its rule. */
static void
refused_groups(void)
{
	static const struct {
		const char *rule, *name, *value;
	} rows[] = {
		{"count", "marks", "[]"},
		{"count", "marks", "[[1, 2]]"},
		{"count", "marks", "[[1]]"},
		{"count", "marks", "[[null, \"x\"]]"},
		{"count", "marks",
			"[[1, \"012345678901234567890123456789012345678901234567890123456789\"]]"},
		{"count", "marks",
			"[[1,\"\"],[1,\"\"],[1,\"\"],[1,\"\"],[1,\"\"],[1,\"\"],[1,\"\"],[1,\"\"],"
			"[1,\"\"]]"},
		{"all", "marks", "[[1, \"\"]]"},
		{"count", "due_us", "-1"},
		{"count", "event", "{}"},
		{"count", "down", "{\"since_us\": null, \"spans\": []}"},
		{"total", "down", "null"},
		{"total", "down", "{\"since_us\": 1, \"spans\": 1}"},
		{"total", "down", "{\"since_us\": 1, \"spans\": [[1]]}"},
		{"total", "down", "{\"since_us\": 1, \"spans\": [[null, 1]]}"},
		{"total", "down", "{\"spans\": []}"},
		{"lasts", "standing", "1"},
		{"lasts", "acted_us", "true"},
		{"lasts", "did_act", "null"},
		{"lasts", "check", "null"},
		{"lasts", "hash", "null"},
		{"lasts", "code", "1"},
	};
	struct world old;
	begin(&old, yaml);
	for (unsigned i = 1; i < 12; i++)
		tell(&old, i);
	json_t *kept = memory_encode_new(&old.nodes);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *copy = json_deep_copy(kept), *node, *group;
		size_t at, in;
		unsigned found = 0;
		check_row("%s: %s: %s", rows[i].rule, rows[i].name, rows[i].value);
		json_array_foreach (copy, at, node)
			json_array_foreach (json_object_get(node, "groups"), in, group)
				if (strcmp(json_string_value(json_object_get(group, "rule")),
					    rows[i].rule) == 0) {
					found++;
					json_object_set_new(group, rows[i].name,
						json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
				}
		CHECK(found > 0);
		CHECK(!accepts(copy));
		json_decref(copy);
	}
	json_decref(kept);
	end(&old);
}

static const struct check_test tests[] = {
	{"a restart at any event changes nothing", goes_on},
	{"a finding of a rule that has changed is owed an answer", rules_change},
	{"a memory with any value replaced is rejected or works", malformed},
	{"malformed state of a node is rejected", refused},
	{"malformed state of a group is rejected", refused_groups},
};
CHECK_MAIN(tests)
