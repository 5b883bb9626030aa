/* marks - the events that a group has counted, and whether they make the pattern of its rule. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "marks.h"

#include "moment.h"

#include <string.h>

/* --- adding --- */

static void
mark(struct group_mark *at, uint64_t at_us, const struct sighting *event)
{
	const char *id = event->fields[SIGHTING_ID];
	at->at_us = at_us;
	*at->id = '\0';
	if (id != NULL && strlen(id) < sizeof at->id)
		strcpy(at->id, id);
}

static void
append(struct group *group, uint64_t at_us, const struct sighting *event)
{
	size_t room = groups_mark_room(group->rule);
	if (group->mark_count == room)
		memmove(group->marks, group->marks + 1,
			--group->mark_count * sizeof group->marks[0]);
	mark(&group->marks[group->mark_count++], at_us, event);
}

/* Extend the sequence by an event of this kind. Return false if the kinds before it are missing or
 * too old, or if the event is not the latest of its kind. */
static bool
continue_sequence(struct group *group, size_t kind, uint64_t at_us, const struct sighting *event)
{
	struct group_mark *own = groups_sequence(group, kind);
	if (own[kind].at_us > at_us)
		return false;
	if (kind > 0) {
		const struct group_mark *before = groups_sequence(group, kind - 1);
		if (before->at_us == 0 || before[kind - 1].at_us >= at_us ||
			moment_later(before->at_us, rules_span_us(group->rule)) <= at_us)
			return false;
		memcpy(own, before, kind * sizeof *own);
	}
	mark(&own[kind], at_us, event);
	return true;
}

static bool
add_mark(struct group *group, size_t kind, uint64_t at_us, const struct sighting *event)
{
	if (group->rule->form == RULE_SEQUENCE)
		return continue_sequence(group, kind, at_us, event);
	if (group->rule->form != RULE_ALL) {
		append(group, at_us, event);
		return true;
	}
	if (group->marks[kind].at_us > at_us)
		return false;
	mark(&group->marks[kind], at_us, event);
	return true;
}

static bool
is_stored_only(const struct sighting *event)
{
	const char *strategy = event->fields[SIGHTING_STRATEGY];
	return strategy != NULL && strcmp(strategy, event_strategies[EVENT_STORE_ONLY]) == 0;
}

static void
note_act(struct group *group, uint64_t at_us, const struct sighting *event)
{
	if (!is_stored_only(event) && at_us > group->acted_us)
		group->acted_us = at_us;
}

bool
marks_add(struct group *group, size_t kind, uint64_t at_us, struct sighting *event)
{
	if (!add_mark(group, kind, at_us, event))
		return false;
	groups_set_event(group, event);
	note_act(group, at_us, event);
	return true;
}

void
marks_follow_open(struct group *group)
{
	const struct open *open = &group->open;
	size_t room = groups_mark_room(group->rule);
	groups_set_event(group, open->items[0].event);
	group->mark_count = 0;
	group->acted_us = 0;
	for (size_t i = 0; i < open->count; i++) {
		if (i < room)
			append(group, open->items[i].at_us, open->items[i].event);
		note_act(group, open->items[i].at_us, open->items[i].event);
	}
}

void
marks_drop_old(struct group *group, uint64_t end_us)
{
	size_t left = 0;
	for (size_t i = 0; i < group->mark_count; i++)
		if (marks_is_within(group->rule, group->marks[i].at_us, end_us))
			group->marks[left++] = group->marks[i];
	group->mark_count = left;
}

/* --- deciding --- */

bool
marks_is_within(const struct rule *rule, uint64_t at_us, uint64_t end_us)
{
	return rule->form == RULE_LASTS || moment_later(at_us, rules_span_us(rule)) > end_us;
}

/* Return true if at least `wanted` marks lie within one span of the rule that ends at any mark. */
static bool
reaches(const struct group *group, size_t wanted)
{
	for (size_t left = group->mark_count; left > 0; left--) {
		uint64_t end_us = group->marks[left - 1].at_us;
		size_t count = 0;
		for (size_t i = 0; i < group->mark_count; i++) {
			uint64_t at_us = group->marks[i].at_us;
			count += at_us != 0 && at_us <= end_us &&
				 marks_is_within(group->rule, at_us, end_us);
		}
		if (count >= wanted)
			return true;
	}
	return false;
}

bool
marks_are_complete(const struct group *group, size_t kind)
{
	switch (group->rule->form) {
	case RULE_COUNT:
		return reaches(group, group->rule->count);
	case RULE_ALL:
		return reaches(group, group->rule->kind_count);
	case RULE_SEQUENCE:
		return kind + 1 == group->rule->kind_count;
	case RULE_LASTS:
	case RULE_TOTAL:
	case RULE_FORM_N:
		break;
	}
	return false;
}
