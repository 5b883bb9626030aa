/* engine - what the rules make of events that come in the order of their time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include "array.h"
#include "hash.h"
#include "strbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_US 1000

/* --- groups --- */

void
engine_init(struct engine *engine, const struct rules *rules, struct engine_budget *budget,
	int (*report)(void *context, const struct finding *finding), void *context)
{
	*engine = (struct engine){
		.rules = rules, .budget = budget, .report = report, .context = context};
}

static uint64_t
span_us(const struct rule *rule)
{
	return rule->span_ns / NS_PER_US;
}

static size_t
mark_room(const struct rule *rule)
{
	return rule->count > ENGINE_EVIDENCE_MAX ? rule->count : ENGINE_EVIDENCE_MAX;
}

static uint64_t
later(uint64_t at_us, uint64_t span)
{
	return at_us < UINT64_MAX - span ? at_us + span : UINT64_MAX;
}

/* What tells an event's group from others, from malloc. NULL: the event lacks a value, or memory
 * ran out (ENOMEM). */
static char *
key_new(const struct engine *engine, const struct rule *rule, const json_t *event)
{
	struct strbuf key = {0};
	errno = 0;
	for (size_t i = 0; i < rule->group_count; i++)
		if (match_value(event, rule->group[i]) == NULL)
			return NULL;
	strbuf_addf(&key, "%zu", (size_t)(rule - engine->rules->items));
	for (size_t i = 0; i < rule->group_count; i++) {
		const char *value = match_value(event, rule->group[i]);
		strbuf_addf(&key, " %zu:%s", strlen(value), value);
	}
	return strbuf_detach_new(&key);
}

static uint64_t
hash_of(const char *key)
{
	return hash_words(HASH_START, key, strlen(key));
}

static struct group *
find(const struct engine *engine, const char *key)
{
	uint64_t hash = hash_of(key);
	for (size_t step = 0, i; (i = map_next(&engine->by_key, hash, &step)) != MAP_END;)
		if (strcmp(engine->groups[i]->key, key) == 0)
			return engine->groups[i];
	return NULL;
}

static void
group_free(struct group *group)
{
	json_decref(group->event);
	free(group->code);
	free(group->key);
	free(group);
}

/* The last one takes its place. */
static void
drop(struct engine *engine, struct group *group)
{
	struct group *last = engine->groups[--engine->group_count];
	map_remove(&engine->by_key, group->hash, group->index);
	if (last != group) {
		map_remove(&engine->by_key, last->hash, last->index);
		last->index = group->index;
		engine->groups[last->index] = last;
		/* There is room for what has just been taken out. */
		(void)map_add(&engine->by_key, last->hash, last->index);
	}
	heap_remove(&engine->due, &group->due);
	group_free(group);
	engine->budget->groups--;
}

static struct group *
add(struct engine *engine, const struct rule *rule, char *key)
{
	struct group **groups = array_grown(engine->groups, engine->group_count,
		&engine->group_capacity, sizeof(struct group *));
	if (groups == NULL)
		return NULL;
	engine->groups = groups;
	struct group *group = calloc(1, sizeof *group + mark_room(rule) * sizeof group->marks[0]);
	if (group == NULL)
		return NULL;
	group->rule = rule;
	group->index = engine->group_count;
	group->hash = group->due.rank = hash_of(key);
	group->due.at_us = UINT64_MAX;
	if (map_add(&engine->by_key, group->hash, group->index) < 0) {
		free(group);
		return NULL;
	}
	if (heap_add(&engine->due, &group->due) < 0) {
		map_remove(&engine->by_key, group->hash, group->index);
		free(group);
		return NULL;
	}
	group->key = key;
	groups[engine->group_count++] = group;
	engine->budget->groups++;
	return group;
}

/* The event's group. NULL: it has none, or memory ran out (ENOMEM). */
static struct group *
find_or_add(struct engine *engine, const struct rule *rule, const json_t *event)
{
	char *key = key_new(engine, rule, event);
	struct group *group = key != NULL ? find(engine, key) : NULL;
	if (key == NULL || group != NULL) {
		free(key);
		return group;
	}
	if (engine->budget->groups == engine->budget->most) {
		engine->budget->refused++;
		struct heap_node *first = heap_first(&engine->due);
		if (first == NULL) {
			free(key);
			return NULL;
		}
		drop(engine, (struct group *)first);
	}
	group = add(engine, rule, key);
	if (group == NULL) {
		free(key);
		errno = ENOMEM;
	}
	return group;
}

/* --- marks --- */

static void
mark(struct group_mark *at, uint64_t at_us, const json_t *event)
{
	const char *id = NULL;
	rec_get_string(event, "id", &id);
	at->at_us = at_us;
	*at->id = '\0';
	if (id != NULL && strlen(id) < sizeof at->id)
		strcpy(at->id, id);
}

static void
add_mark(struct group *group, uint64_t at_us, const json_t *event)
{
	size_t room = mark_room(group->rule);
	if (group->mark_count == room)
		memmove(group->marks, group->marks + 1,
			--group->mark_count * sizeof group->marks[0]);
	mark(&group->marks[group->mark_count++], at_us, event);
}

static void
keep_event(struct group *group, json_t *event)
{
	json_incref(event);
	json_decref(group->event);
	group->event = event;
}

/* --- reports --- */

static int
report(struct engine *engine, struct group *group, bool healthy, uint64_t at_us)
{
	if (!healthy) {
		const char *code = match_value(group->event, "errorCode");
		char *copy = strdup(code != NULL ? code : "");
		if (copy == NULL)
			return -1;
		free(group->code);
		group->code = copy;
		group->did_act = group->acts;
	}
	group->standing = !healthy;
	const struct finding finding = {.group = group, .healthy = healthy, .at_us = at_us};
	return engine->report(engine->context, &finding);
}

/* The time of a group has ended. */
static int
end(struct engine *engine, struct group *group)
{
	uint64_t at_us = group->due.at_us;
	if (group->rule->form == RULE_LASTS) {
		heap_move(&engine->due, &group->due, UINT64_MAX);
		return report(engine, group, false, at_us);
	}
	int status = group->standing ? report(engine, group, true, at_us) : 0;
	drop(engine, group);
	return status;
}

int
engine_advance(struct engine *engine, uint64_t now_us)
{
	struct heap_node *first;
	int status = 0;
	while (status == 0 && (first = heap_first(&engine->due)) != NULL &&
		first->at_us <= now_us && first->at_us < UINT64_MAX)
		status = end(engine, (struct group *)first);
	return status;
}

/* --- events --- */

static bool
is_stored_only(const json_t *event)
{
	const char *strategy = match_value(event, "processingStrategy");
	return strategy != NULL && strcmp(strategy, event_strategies[EVENT_STORE_ONLY]) == 0;
}

/* How many of the marks are within the rule's time before `at_us`. */
static size_t
count_within(const struct group *group, uint64_t at_us)
{
	size_t count = 0;
	for (size_t i = 0; i < group->mark_count; i++)
		count += group->marks[i].at_us != 0 &&
			 later(group->marks[i].at_us, span_us(group->rule)) > at_us;
	return count;
}

static int
count_event(
	struct engine *engine, const struct rule *rule, size_t kind, uint64_t at_us, json_t *event)
{
	struct group *group = find_or_add(engine, rule, event);
	if (group == NULL)
		return errno == ENOMEM ? -1 : 0;
	if (rule->form == RULE_LASTS && group->mark_count > 0)
		return 0;
	keep_event(group, event);
	group->acts |= !is_stored_only(event);
	if (rule->form == RULE_ALL) {
		group->mark_count = rule->kind_count;
		mark(&group->marks[kind], at_us, event);
	} else {
		add_mark(group, at_us, event);
	}
	heap_move(&engine->due, &group->due, later(at_us, span_us(rule)));
	size_t wanted = rule->form == RULE_ALL ? rule->kind_count : rule->count;
	if (rule->form == RULE_LASTS || group->standing || count_within(group, at_us) < wanted)
		return 0;
	return report(engine, group, false, at_us);
}

static bool
is_same(const json_t *a, const json_t *b, const char *key)
{
	const char *of_a = match_value(a, key), *of_b = match_value(b, key);
	return of_a != NULL && of_b != NULL && strcmp(of_a, of_b) == 0;
}

/* A healthy event that names no entity, or no code, is about all of them. */
static bool
answers(const json_t *healthy, const struct group *group)
{
	const json_t *entity;
	size_t i;
	if (!is_same(healthy, group->event, "checkName") ||
		(match_value(healthy, "errorCode") != NULL &&
			!is_same(healthy, group->event, "errorCode")))
		return false;
	json_array_foreach (json_object_get(healthy, "entitiesImpacted"), i, entity) {
		const char *type = NULL, *value = NULL, *own;
		rec_get_string(entity, "entityType", &type);
		rec_get_string(entity, "entityValue", &value);
		own = type != NULL ? event_entity(group->event, type) : NULL;
		if (own == NULL || value == NULL || strcmp(own, value) != 0)
			return false;
	}
	return true;
}

static int
end_if_answered(struct engine *engine, struct group *group, uint64_t at_us, const json_t *healthy)
{
	if (!answers(healthy, group))
		return 0;
	int status = group->standing ? report(engine, group, true, at_us) : 0;
	drop(engine, group);
	return status;
}

/* One that lacks a value of the groups may answer several of them. */
static int
end_answered(struct engine *engine, const struct rule *rule, uint64_t at_us, const json_t *healthy)
{
	char *key = key_new(engine, rule, healthy);
	struct group *group = key != NULL ? find(engine, key) : NULL;
	bool is_one = key != NULL;
	free(key);
	if (!is_one && errno == ENOMEM)
		return -1;
	if (is_one)
		return group != NULL ? end_if_answered(engine, group, at_us, healthy) : 0;
	int status = 0;
	for (size_t i = engine->group_count; i-- > 0 && status == 0;)
		if (engine->groups[i]->rule == rule)
			status = end_if_answered(engine, engine->groups[i], at_us, healthy);
	return status;
}

/* What keeps a group from being due has come; what has been reported stays. */
static int
except(struct engine *engine, const struct rule *rule, const json_t *event)
{
	char *key = key_new(engine, rule, event);
	struct group *group = key != NULL ? find(engine, key) : NULL;
	int status = key == NULL && errno == ENOMEM ? -1 : 0;
	if (group != NULL && !group->standing)
		drop(engine, group);
	free(key);
	return status;
}

static int
apply(struct engine *engine, const struct rule *rule, uint64_t at_us, json_t *event)
{
	int status = 0;
	if (json_is_true(json_object_get(event, "isHealthy"))) {
		bool may_answer = rule->form == RULE_LASTS && match_answers(&rule->kinds[0], event);
		return may_answer ? end_answered(engine, rule, at_us, event) : 0;
	}
	for (size_t kind = 0; kind < rule->kind_count && status == 0; kind++)
		if (match_holds(&rule->kinds[kind], event))
			status = count_event(engine, rule, kind, at_us, event);
	if (status == 0 && rule->unless.count > 0 && match_holds(&rule->unless, event))
		status = except(engine, rule, event);
	return status;
}

int
engine_accept(struct engine *engine, uint64_t at_us, json_t *event)
{
	int status = engine_advance(engine, at_us);
	for (size_t i = 0; i < engine->rules->count && status == 0; i++)
		status = apply(engine, &engine->rules->items[i], at_us, event);
	return status;
}

void
engine_fini(struct engine *engine)
{
	for (size_t i = 0; i < engine->group_count; i++)
		group_free(engine->groups[i]);
	engine->budget->groups -= engine->group_count;
	free(engine->groups);
	map_fini(&engine->by_key);
	heap_fini(&engine->due);
}
