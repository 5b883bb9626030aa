/* groups - the groups of one node: events that a rule counts together. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "groups.h"

#include "array.h"
#include "hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct group *
groups_find(const struct groups *groups, const char *key)
{
	uint64_t hash = hash_text(HASH_START, key);
	for (size_t step = 0, i; (i = map_next(&groups->by_key, hash, &step)) != MAP_END;)
		if (strcmp(groups->items[i]->key, key) == 0)
			return groups->items[i];
	return NULL;
}

static void
group_free(struct group *group)
{
	sighting_release(group->event);
	open_fini(&group->open);
	free(group->downtime);
	free(group->marks);
	free(group->code);
	free(group->key);
	free(group);
}

/* Move the last group into the free slot. */
void
groups_drop(struct groups *groups, struct group *group)
{
	struct group *last = groups->items[--groups->count];
	map_remove(&groups->by_key, group->hash, group->index);
	if (last != group) {
		map_remove(&groups->by_key, last->hash, last->index);
		last->index = group->index;
		groups->items[last->index] = last;
		/* Cannot fail: the entry just removed left room. */
		(void)map_add(&groups->by_key, last->hash, last->index);
	}
	heap_remove(&groups->due, &group->due);
	group_free(group);
	groups->budget->groups--;
}

static struct group *
add(struct groups *groups, const struct rule *rule, const char *key)
{
	struct group **items = array_grown(
		groups->items, groups->count, &groups->capacity, sizeof(struct group *));
	if (items == NULL)
		return NULL;
	groups->items = items;
	struct group *group = calloc(1, sizeof *group);
	if (group == NULL)
		return NULL;
	group->rule = rule;
	group->index = groups->count;
	group->hash = group->due.rank = hash_text(HASH_START, key);
	group->due.at_us = UINT64_MAX;
	group->key = strdup(key);
	group->marks = calloc(groups_mark_room(rule), sizeof *group->marks);
	group->mark_count = groups_fixed_marks(rule);
	bool is_timed = rule->form == RULE_TOTAL;
	group->downtime = is_timed ? calloc(1, sizeof *group->downtime) : NULL;
	if (group->key == NULL || group->marks == NULL || (is_timed && group->downtime == NULL) ||
		map_add(&groups->by_key, group->hash, group->index) < 0) {
		group_free(group);
		return NULL;
	}
	if (heap_add(&groups->due, &group->due) < 0) {
		map_remove(&groups->by_key, group->hash, group->index);
		group_free(group);
		return NULL;
	}
	items[groups->count++] = group;
	groups->budget->groups++;
	return group;
}

/* The budget is used up: drop the node's group that is due first. Return false if the node has
 * none. */
static bool
make_room(struct groups *groups)
{
	struct heap_node *first = heap_first(&groups->due);
	groups->budget->refused++;
	if (first != NULL)
		groups_drop(groups, (struct group *)first);
	return first != NULL;
}

struct group *
groups_find_or_add(struct groups *groups, const struct rule *rule, const char *key)
{
	struct group *group = groups_find(groups, key);
	if (group != NULL)
		return group;
	errno = ENOSPC;
	if (groups->budget->groups == groups->budget->most && !make_room(groups))
		return NULL;
	group = add(groups, rule, key);
	if (group == NULL)
		errno = ENOMEM;
	return group;
}

void
groups_set_event(struct group *group, struct sighting *event)
{
	struct sighting *before = group->event;
	group->event = sighting_hold(event);
	sighting_release(before);
}

/* Number of marks in the lists of the kinds before this one. */
static size_t
marks_before(size_t kind)
{
	return kind * (kind + 1) / 2;
}

size_t
groups_fixed_marks(const struct rule *rule)
{
	if (rule->form == RULE_SEQUENCE)
		return marks_before(rule->kind_count);
	return rule->form == RULE_ALL ? rule->kind_count : 0;
}

size_t
groups_mark_room(const struct rule *rule)
{
	size_t fixed = groups_fixed_marks(rule);
	size_t wanted = fixed > 0 ? fixed : rule->count;
	return wanted > GROUPS_EVIDENCE_MAX ? wanted : GROUPS_EVIDENCE_MAX;
}

struct group_mark *
groups_sequence(const struct group *group, size_t kind)
{
	return group->marks + marks_before(kind);
}

const struct group_mark *
groups_evidence(const struct group *group, size_t *count)
{
	*count = group->mark_count;
	if (group->rule->form != RULE_SEQUENCE)
		return group->marks;
	*count = group->rule->kind_count;
	while (*count > 1 && groups_sequence(group, *count - 1)->at_us == 0)
		--*count;
	return groups_sequence(group, *count - 1);
}

void
groups_fini(struct groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		group_free(groups->items[i]);
	groups->budget->groups -= groups->count;
	free(groups->items);
	map_fini(&groups->by_key);
	heap_fini(&groups->due);
}
