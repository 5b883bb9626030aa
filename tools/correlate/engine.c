/* engine - applies the rules to the events of one node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include "lasting.h"
#include "marks.h"
#include "moment.h"
#include "num.h"
#include "strbuf.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
engine_init(struct engine *engine, const struct rules *rules, struct groups_budget *budget,
	int (*report)(void *context, const struct finding *finding), void *context)
{
	*engine = (struct engine){
		.rules = rules, .groups.budget = budget, .report = report, .context = context};
}

/* Append the number and a blank. No printf: this runs for each event. */
static void
add_number(struct strbuf *text, size_t number)
{
	char digits[NUM_U64_SIZE + 1];
	size_t length = num_format_u64(number, digits);
	digits[length] = ' ';
	strbuf_add(text, digits, length + 1);
}

/* Return the key of the event's group, from malloc: rule and values with their lengths. NULL if the
 * event lacks a value, or memory ran out (ENOMEM). */
static char *
key_new(const struct engine *engine, const struct rule *rule, const struct sighting *event)
{
	struct strbuf key = {0};
	errno = 0;
	for (size_t i = 0; i < rule->group_count; i++)
		if (match_value(event, &rule->group[i]) == NULL)
			return NULL;
	add_number(&key, (size_t)(rule - engine->rules->items));
	for (size_t i = 0; i < rule->group_count; i++) {
		const char *value = match_value(event, &rule->group[i]);
		size_t length = strlen(value);
		add_number(&key, length);
		strbuf_add(&key, value, length);
	}
	return strbuf_detach_new(&key);
}

/* Return the event's group. NULL if there is none, or memory ran out (ENOMEM). */
static struct group *
find(const struct engine *engine, const struct rule *rule, const struct sighting *event)
{
	char *key = key_new(engine, rule, event);
	struct group *group = key != NULL ? groups_find(&engine->groups, key) : NULL;
	free(key);
	return group;
}

/* Return the event's group and add it if it is new. NULL as find(), or if there are too many
 * (ENOSPC). */
static struct group *
find_or_add(struct engine *engine, const struct rule *rule, const struct sighting *event)
{
	char *key = key_new(engine, rule, event);
	struct group *group = key != NULL ? groups_find_or_add(&engine->groups, rule, key) : NULL;
	free(key);
	return group;
}

struct group *
engine_add_group(struct engine *engine, const struct rule *rule, struct sighting *event)
{
	size_t before = engine->groups.count;
	errno = EINVAL;
	struct group *group = find_or_add(engine, rule, event);
	if (group != NULL && engine->groups.count == before) {
		errno = EEXIST;
		return NULL;
	}
	if (group != NULL)
		groups_set_event(group, event);
	return group;
}

bool
engine_add_open(struct engine *engine, struct group *group, uint64_t at_us, struct sighting *event)
{
	return find(engine, group->rule, event) == group &&
	       open_add(&group->open, at_us, event) > 0;
}

/* --- reports --- */

/* Return true if both groups report the same condition: receivers see the same check, code and
 * values. */
static bool
are_twins(const struct group *a, const struct group *b)
{
	if (strcmp(rules_check(a->rule), rules_check(b->rule)) != 0 ||
		a->rule->group_count != b->rule->group_count || strcmp(a->code, b->code) != 0)
		return false;
	for (size_t i = 0; i < a->rule->group_count; i++) {
		const struct match_key *key = &a->rule->group[i];
		if (strcmp(key->text, b->rule->group[i].text) != 0 ||
			strcmp(match_value(a->event, key), match_value(b->event, key)) != 0)
			return false;
	}
	return true;
}

/* Return a group of another rule that reported the same condition, which then ends only when all
 * such groups have ended; NULL: none. */
static struct group *
find_twin(const struct engine *engine, const struct group *group)
{
	for (size_t i = 0; i < engine->groups.count; i++) {
		struct group *other = engine->groups.items[i];
		if (other != group && other->standing && are_twins(other, group))
			return other;
	}
	return NULL;
}

bool
engine_is_fatal(const struct engine *engine, const struct group *group)
{
	bool fatal = rules_is_fatal(group->rule);
	for (size_t i = 0; i < engine->groups.count && !fatal; i++) {
		const struct group *other = engine->groups.items[i];
		fatal = other->standing && rules_is_fatal(other->rule) && are_twins(other, group);
	}
	return fatal;
}

/* Return true if the group has all entities that the other one is reported with. */
static bool
has_entities_of(const struct group *group, const struct group *other)
{
	for (size_t i = 0; i < other->rule->group_count; i++) {
		const struct match_key *key = &other->rule->group[i];
		bool has_it = key->kind != MATCH_ENTITY;
		for (size_t j = 0; j < group->rule->group_count && !has_it; j++)
			has_it = strcmp(group->rule->group[j].text, key->text) == 0 &&
				 strcmp(match_value(group->event, key),
					 match_value(other->event, key)) == 0;
		if (!has_it)
			return false;
	}
	return true;
}

static bool
has_entities(const struct group *group)
{
	for (size_t i = 0; i < group->rule->group_count; i++)
		if (group->rule->group[i].kind == MATCH_ENTITY)
			return true;
	return false;
}

/* Return true if receivers take the end of `over` for that of `group`, too (spec#conditions). */
static bool
ends_with(const struct group *group, const struct group *over)
{
	if (strcmp(rules_check(group->rule), rules_check(over->rule)) != 0)
		return false;
	return !has_entities(over) ||
	       (has_entities_of(group, over) &&
		       (*over->code == '\0' || strcmp(over->code, group->code) == 0));
}

/* The end of `over` is about to be reported: find the groups whose reports it ends, too. */
static void
note_ended(struct engine *engine, const struct group *over)
{
	for (size_t i = 0; i < engine->groups.count; i++) {
		struct group *group = engine->groups.items[i];
		if (group != over && group->standing && ends_with(group, over))
			group->was_ended = engine->has_ended = true;
	}
}

/* Report these groups again, unless they have ended meanwhile. */
static int
repeat_ended(struct engine *engine)
{
	int status = 0;
	size_t count = engine->has_ended ? engine->groups.count : 0;
	engine->has_ended = false;
	for (size_t i = 0; i < count && status == 0; i++) {
		struct group *group = engine->groups.items[i];
		const struct finding finding = {group, FINDING_AGAIN, engine->now_us};
		if (group->was_ended && group->standing)
			status = engine->report(engine->context, &finding);
		group->was_ended = false;
	}
	return status;
}

/* Return true if a report of the pattern now is EXECUTE_REMEDIATION. */
static bool
executes(const struct engine *engine, const struct group *group)
{
	unsigned strategy = group->rule->strategy;
	return engine->executes &&
	       (strategy == EVENT_STRATEGY_N ? group->did_act
					     : strategy == EVENT_EXECUTE_REMEDIATION);
}

static int
report(struct engine *engine, struct group *group, enum finding_kind kind, uint64_t at_us)
{
	if (kind == FINDING_NEW) {
		char *copy = strdup(text_or_empty(sighting_code(group->event)));
		if (copy == NULL)
			return -1;
		free(group->code);
		group->code = copy;
		group->did_act = group->acted_us != 0 &&
				 marks_is_within(group->rule, group->acted_us, at_us);
		group->executed = executes(engine, group);
	}
	group->standing = kind == FINDING_NEW;
	if (at_us < engine->now_us)
		at_us = engine->now_us;
	const struct finding finding = {.group = group, .kind = kind, .at_us = at_us};
	struct group *twin = kind == FINDING_OVER ? find_twin(engine, group) : NULL;
	if (twin != NULL) {
		twin->executed |= group->executed;
		return 0;
	}
	if (kind == FINDING_OVER)
		note_ended(engine, group);
	return engine->report(engine->context, &finding);
}

/* A RULE_TOTAL group is down and due. Report it if its total is still reached: earlier downtime may
 * have left the window meanwhile. */
static int
handle_due_downtime(struct engine *engine, struct group *group, uint64_t at_us)
{
	uint64_t next = lasting_total_next_us(group, at_us);
	int status = next > at_us ? 0 : report(engine, group, FINDING_NEW, at_us);
	heap_move(&engine->groups.due, &group->due, next > at_us ? next : MOMENT_NEVER);
	return status;
}

/* A group is due: its condition has lasted, or the time for its pattern has passed. */
static int
handle_due(struct engine *engine, struct group *group)
{
	uint64_t at_us = group->due.at_us;
	if (group->rule->form == RULE_LASTS) {
		heap_move(&engine->groups.due, &group->due, MOMENT_NEVER);
		return report(engine, group, FINDING_NEW, at_us);
	}
	if (group->rule->form == RULE_TOTAL && group->downtime->since_us != 0)
		return handle_due_downtime(engine, group, at_us);
	int status = report(engine, group, group->standing ? FINDING_OVER : FINDING_PASSED, at_us);
	groups_drop(&engine->groups, group);
	return status;
}

static void
note_time(struct engine *engine, uint64_t at_us)
{
	if (at_us > engine->now_us)
		engine->now_us = at_us;
}

int
engine_advance(struct engine *engine, uint64_t now_us)
{
	struct heap_node *first;
	int status = 0;
	while (status == 0 && (first = heap_due(&engine->groups.due, now_us)) != NULL) {
		/* What ends at the same time is not reported again in between. */
		if (first->at_us > engine->now_us && (status = repeat_ended(engine)) < 0)
			return status;
		note_time(engine, first->at_us);
		status = handle_due(engine, (struct group *)first);
	}
	if (status == 0)
		status = repeat_ended(engine);
	note_time(engine, now_us);
	return status;
}

/* --- clock changes --- */

static void
set_back(struct engine *engine, struct group *group, uint64_t by_us)
{
	for (size_t i = 0; i < group->mark_count; i++)
		if (group->marks[i].at_us > by_us)
			group->marks[i].at_us -= by_us;
	if (group->acted_us > by_us)
		group->acted_us -= by_us;
	open_set_back(&group->open, by_us);
	if (group->downtime != NULL)
		downtime_set_back(group->downtime, by_us);
	if (group->due.at_us < MOMENT_NEVER)
		heap_move(
			&engine->groups.due, &group->due, moment_earlier(group->due.at_us, by_us));
}

void
engine_jump(struct engine *engine, uint64_t to_us)
{
	for (size_t i = 0; i < engine->groups.count; i++) {
		if (to_us < engine->now_us)
			set_back(engine, engine->groups.items[i], engine->now_us - to_us);
		else if (lasting_is(engine->groups.items[i]->rule))
			lasting_restart(
				&engine->groups, engine->groups.items[i], engine->now_us, to_us);
	}
	engine->now_us = to_us;
}

/* --- events --- */

static int
count_event(struct engine *engine, const struct rule *rule, size_t kind, uint64_t at_us,
	struct sighting *event)
{
	bool begins = rule->form != RULE_SEQUENCE || kind == 0;
	struct group *group = begins ? find_or_add(engine, rule, event) : find(engine, rule, event);
	if (group == NULL)
		return errno == ENOMEM ? -1 : 0;
	if (lasting_is(rule))
		return lasting_begin(&engine->groups, group, at_us, event);
	if (!marks_add(group, kind, at_us, event))
		return 0;
	uint64_t end_us = moment_later(at_us, rules_span_us(rule));
	if (group->due.at_us == MOMENT_NEVER || end_us > group->due.at_us)
		heap_move(&engine->groups.due, &group->due, end_us);
	if (group->standing || !marks_are_complete(group, kind))
		return 0;
	if (rule->form == RULE_COUNT)
		marks_drop_old(group, at_us);
	return report(engine, group, FINDING_NEW, at_us);
}

/* End the conditions that the healthy event answers, and their group with the last one. */
static int
end_if_answered(
	struct engine *engine, struct group *group, uint64_t at_us, const struct sighting *healthy)
{
	if (!lasting_end(&engine->groups, group, at_us, healthy))
		return 0;
	int status =
		report(engine, group, group->standing ? FINDING_OVER : FINDING_ANSWERED, at_us);
	groups_drop(&engine->groups, group);
	return status;
}

static bool
has_entity_twice(const struct sighting *event)
{
	for (size_t i = 1; i < event->entity_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(event->entities[i].name, event->entities[j].name) == 0)
				return true;
	return false;
}

/* Return whether the healthy event can answer only the group of its own key. It has the codes and
 * entities of the events that it answers, but a key has only the first code and the first entity of
 * a type. Its other values, such as isFatal, may differ. */
static bool
answers_one_group(const struct rule *rule, const struct sighting *healthy)
{
	for (size_t i = 0; i < rule->group_count; i++)
		if (rule->group[i].kind != MATCH_CODE && rule->group[i].kind != MATCH_ENTITY)
			return false;
	return healthy->code_count <= 1 && !has_entity_twice(healthy);
}

/* A healthy event without all values of a key may answer several groups: try each of them. */
static int
end_answered(struct engine *engine, const struct rule *rule, uint64_t at_us,
	const struct sighting *healthy)
{
	errno = 0;
	char *key = answers_one_group(rule, healthy) ? key_new(engine, rule, healthy) : NULL;
	struct group *group = key != NULL ? groups_find(&engine->groups, key) : NULL;
	bool is_one = key != NULL;
	free(key);
	if (!is_one && errno == ENOMEM)
		return -1;
	if (is_one)
		return group != NULL ? end_if_answered(engine, group, at_us, healthy) : 0;
	int status = 0;
	for (size_t left = engine->groups.count; left > 0 && status == 0; left--) {
		struct group *other = engine->groups.items[left - 1];
		if (other->rule == rule)
			status = end_if_answered(engine, other, at_us, healthy);
	}
	return status;
}

/* An event of `unless` ends the conditions of a group that is not reported yet. */
static int
except(struct engine *engine, const struct rule *rule, uint64_t at_us, const struct sighting *event)
{
	struct group *group = find(engine, rule, event);
	if (group == NULL)
		return errno == ENOMEM ? -1 : 0;
	if (group->standing || !lasting_end(&engine->groups, group, at_us, NULL))
		return 0;
	int status = report(engine, group, FINDING_EXCEPTED, at_us);
	groups_drop(&engine->groups, group);
	return status;
}

static int
apply(struct engine *engine, const struct rule *rule, uint64_t at_us, struct sighting *event)
{
	int status = 0;
	if (event->is_healthy)
		return lasting_is(rule) ? end_answered(engine, rule, at_us, event) : 0;
	/* Last kind first, so that one event never continues a sequence that it began itself. */
	for (size_t left = rule->kind_count; left > 0 && status == 0; left--)
		if (match_holds(&rule->kinds[left - 1], event))
			status = count_event(engine, rule, left - 1, at_us, event);
	if (status == 0 && rule->unless.count > 0 && match_holds(&rule->unless, event))
		status = except(engine, rule, at_us, event);
	return status;
}

int
engine_accept(struct engine *engine, uint64_t at_us, struct sighting *event)
{
	int status = engine_advance(engine, at_us);
	size_t count = sighting_is_repeated(event) ? 0 : engine->rules->count;
	for (size_t i = 0; i < count && status == 0; i++)
		status = apply(engine, &engine->rules->items[i], at_us, event);
	/* Some groups are due at exactly this time. */
	return status < 0 ? status : engine_advance(engine, at_us);
}

int
engine_report_open(struct engine *engine)
{
	int status = 0;
	for (size_t i = 0; i < engine->groups.count && status == 0; i++)
		if (!engine->groups.items[i]->standing)
			status = report(
				engine, engine->groups.items[i], FINDING_OPEN, engine->now_us);
	return status;
}

void
engine_fini(struct engine *engine)
{
	groups_fini(&engine->groups);
}
