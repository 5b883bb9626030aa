/* memory - encodes the state of all nodes as JSON, and decodes it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "array.h"
#include "lasting.h"
#include "moment.h"

#include <errno.h>
#include <string.h>

/* --- to JSON --- */

static json_t *
marks_new(const struct group *group)
{
	json_t *list = json_array();
	for (size_t i = 0; i < group->mark_count; i++)
		json_array_append_new(list, json_pack("[o, s]", rec_u64_new(group->marks[i].at_us),
						    group->marks[i].id));
	return list;
}

static json_t *
downtime_new(const struct downtime *downtime)
{
	if (downtime == NULL)
		return json_null();
	json_t *spans = json_array();
	for (size_t i = 0; i < downtime->count; i++)
		json_array_append_new(
			spans, json_pack("[o, o]", rec_u64_new(downtime->spans[i].from_us),
				       rec_u64_new(downtime->spans[i].to_us)));
	return json_pack(
		"{s:o, s:o}", "since_us", moment_encode_new(downtime->since_us, 0), "spans", spans);
}

/* Return NULL if the group's event is its only open condition, as in most groups, or none is. */
static json_t *
open_new(const struct group *group)
{
	const struct open *open = &group->open;
	if (open->count == 0 ||
		(open->count == 1 && sighting_says_the_same(open->items[0].event, group->event)))
		return NULL;
	json_t *list = json_array();
	for (size_t i = 0; i < open->count; i++)
		json_array_append_new(list, json_pack("[o, o]", rec_u64_new(open->items[i].at_us),
						    sighting_encode_new(open->items[i].event)));
	return list;
}

static json_t *
group_new(const struct group *group)
{
	uint64_t from_us = group->open.from_us;
	return json_pack(
		"{s:s, s:o, s:s, s:o, s:s*, s:b, s:o, s:b, s:b, s:o, s:o, s:o, s:o*, s:o*}", "rule",
		group->rule->name, "hash", rec_u64_new(rules_hash(group->rule)), "check",
		rules_check(group->rule), "event", sighting_encode_new(group->event), "code",
		group->code, "standing", group->standing, "acted_us",
		moment_encode_new(group->acted_us, 0), "did_act", group->did_act, "executed",
		group->executed, "due_us", moment_encode_new(group->due.at_us, MOMENT_NEVER),
		"marks", marks_new(group), "down", downtime_new(group->downtime), "open",
		open_new(group), "from_us", from_us != 0 ? rec_u64_new(from_us) : NULL);
}

static json_t *
groups_new(const struct groups *groups)
{
	json_t *list = json_array();
	for (size_t i = 0; i < groups->count; i++)
		json_array_append_new(list, group_new(groups->items[i]));
	return list;
}

static json_t *
node_new(const struct node *node)
{
	json_t *json = json_pack("{s:s, s:o, s:o, s:O*}", "node", node->name, "now_us",
		rec_u64_new(node->engine.now_us), "groups", groups_new(&node->engine.groups),
		"owed", node->owed);
	if (json == NULL || order_encode(&node->order, json) < 0) {
		json_decref(json);
		return NULL;
	}
	return json;
}

json_t *
memory_encode_new(const struct nodes *nodes)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nodes->count; i++)
		if (json_array_append_new(list, node_new(nodes->items[i])) < 0) {
			json_decref(list);
			return NULL;
		}
	return list;
}

/* --- from JSON --- */

static bool
accept_marks(struct group *group, const json_t *list)
{
	size_t i;
	json_t *pair;
	size_t fixed = groups_fixed_marks(group->rule), count = json_array_size(list);
	if (fixed > 0 ? count != fixed : count == 0 || count > groups_mark_room(group->rule))
		return false;
	json_array_foreach (list, i, pair) {
		struct group_mark *mark = &group->marks[i];
		const char *id = json_string_value(json_array_get(pair, 1));
		if (id == NULL || strlen(id) >= sizeof mark->id ||
			!moment_decode(json_array_get(pair, 0), &mark->at_us))
			return false;
		strcpy(mark->id, id);
	}
	group->mark_count = count;
	return true;
}

static bool
accept_downtime(struct downtime *downtime, const json_t *json)
{
	size_t i;
	json_t *pair;
	const json_t *spans = json_object_get(json, "spans");
	if (downtime == NULL)
		return json_is_null(json);
	if (!moment_accept(json, "since_us", 0, &downtime->since_us) || !json_is_array(spans) ||
		json_array_size(spans) > DOWNTIME_SPANS_MAX)
		return false;
	json_array_foreach (spans, i, pair)
		if (!moment_decode(json_array_get(pair, 0), &downtime->spans[i].from_us) ||
			!moment_decode(json_array_get(pair, 1), &downtime->spans[i].to_us))
			return false;
	downtime->count = json_array_size(spans);
	return true;
}

/* Without a list, the group's event is its only open condition. Return false with errno: ENOMEM, or
 * EINVAL if the list is malformed. */
static bool
accept_open(struct engine *engine, struct group *group, const json_t *list)
{
	size_t i;
	json_t *pair;
	bool is_open = lasting_is(group->rule) &&
		       (group->downtime == NULL || group->downtime->since_us != 0);
	errno = EINVAL;
	if (list == NULL)
		return !is_open || engine_add_open(engine, group,
					   group->marks[group->mark_count - 1].at_us, group->event);
	if (!json_is_array(list))
		return false;
	json_array_foreach (list, i, pair) {
		const json_t *record = json_array_get(pair, 1);
		uint64_t at_us;
		if (!moment_decode(json_array_get(pair, 0), &at_us) || !json_is_object(record))
			return false;
		struct sighting *event = sighting_new(record);
		bool added = event != NULL && engine_add_open(engine, group, at_us, event);
		sighting_release(event);
		if (!added)
			return false;
	}
	return is_open == (group->open.count > 0);
}

static const struct rule *
find_rule(const struct rules *rules, const char *name, uint64_t hash)
{
	for (size_t i = 0; i < rules->count; i++)
		if (strcmp(rules->items[i].name, name) == 0 && rules_hash(&rules->items[i]) == hash)
			return &rules->items[i];
	return NULL;
}

/* Fields that every group has, even if its rule no longer exists. */
struct stored {
	const char *rule, *check, *code;
	bool standing, did_act, executed;
	const json_t *marks;
};

static bool
accept_stored(const json_t *json, struct stored *out, uint64_t *hash, struct rec_error *error)
{
#define TARGET(member) .target = offsetof(struct stored, member), .required = true
	static const struct rec_field fields[] = {
		{"rule", REC_STRING, TARGET(rule)},
		{"check", REC_STRING, TARGET(check)},
		{"code", REC_STRING, .target = offsetof(struct stored, code)},
		{"standing", REC_BOOL, TARGET(standing)},
		{"did_act", REC_BOOL, TARGET(did_act)},
		{"executed", REC_BOOL, .target = offsetof(struct stored, executed)},
		{"marks", REC_ARRAY, TARGET(marks)},
	};
#undef TARGET
	return rec_decode(json, fields, ARRAY_COUNT(fields), out, error) &&
	       rec_get_u64(json, "hash", hash) == REC_OK;
}

/* Decode a time that states before 2026-11-29 lack. Return false if it is malformed. */
static bool
accept_newer(const json_t *json, const char *key, uint64_t *out_us)
{
	return json_object_get(json, key) == NULL || moment_accept(json, key, 0, out_us);
}

static bool
accept_content(
	struct node *node, struct group *group, const json_t *json, const struct stored *stored)
{
	uint64_t due_us;
	if (!moment_accept(json, "due_us", MOMENT_NEVER, &due_us) ||
		!accept_newer(json, "acted_us", &group->acted_us) ||
		!accept_marks(group, stored->marks) ||
		!accept_downtime(group->downtime, json_object_get(json, "down")) ||
		!accept_newer(json, "from_us", &group->open.from_us) ||
		!accept_open(&node->engine, group, json_object_get(json, "open")))
		return false;
	group->standing = stored->standing;
	group->did_act = stored->did_act;
	group->executed = stored->executed;
	if (stored->code != NULL)
		group->code = strdup(stored->code);
	heap_move(&node->engine.groups.due, &group->due, due_us);
	/* A standing group was reported, so it needs its code. */
	return !stored->standing || stored->code != NULL;
}

static int
decode_group(struct node *node, const json_t *json, struct rec_error *error)
{
	struct stored stored;
	uint64_t hash;
	const json_t *record = json_object_get(json, "event");
	if (!json_is_object(record) || !accept_stored(json, &stored, &hash, error))
		return rec_refuse(error, "a malformed group of events");
	const struct rule *rule = find_rule(node->nodes->rules, stored.rule, hash);
	if (rule == NULL)
		return !stored.standing || node_owe(node, stored.check) == 0
			       ? 0
			       : rec_lack_memory(error);
	struct sighting *event = sighting_new(record);
	struct group *group = event != NULL ? engine_add_group(&node->engine, rule, event) : NULL;
	sighting_release(event);
	if (event == NULL)
		return rec_lack_memory(error);
	if (group == NULL || !accept_content(node, group, json, &stored))
		return errno == ENOMEM
			       ? rec_lack_memory(error)
			       : rec_refuse(error, "a malformed group of events of the rule %.64s",
					 stored.rule);
	return stored.code == NULL || group->code != NULL ? 0 : rec_lack_memory(error);
}

static int
decode_owed(struct node *node, const json_t *list, struct rec_error *error)
{
	size_t i;
	const json_t *check;
	json_array_foreach (list, i, check) {
		if (!json_is_string(check))
			return rec_refuse(error, "\"owed\" is not a list of check names");
		if (node_owe(node, json_string_value(check)) < 0)
			return rec_lack_memory(error);
	}
	return 0;
}

static int
decode_node(struct nodes *nodes, const json_t *json, struct rec_error *error)
{
	size_t i;
	const json_t *group;
	const char *name = json_string_value(json_object_get(json, "node"));
	const json_t *groups = json_object_get(json, "groups");
	if (name == NULL || strlen(name) > REC_NODE_MAX_BYTES || !json_is_array(groups))
		return rec_refuse(error, "a node without a name or groups");
	struct node *node = nodes_find_or_add(nodes, name);
	if (node == NULL)
		return errno == ENOSPC ? rec_refuse(error, "too many nodes")
				       : rec_lack_memory(error);
	if (!moment_decode(json_object_get(json, "now_us"), &node->engine.now_us))
		return rec_refuse(error, "a node without a time");
	if (order_decode(&node->order, json, error) < 0 ||
		decode_owed(node, json_object_get(json, "owed"), error) < 0)
		return -1;
	json_array_foreach (groups, i, group)
		if (decode_group(node, group, error) < 0)
			return -1;
	return 0;
}

int
memory_decode(struct nodes *nodes, const json_t *list, struct rec_error *error)
{
	size_t i;
	const json_t *node;
	if (!json_is_array(list))
		return rec_refuse(error, "\"nodes\" is not a list");
	json_array_foreach (list, i, node)
		if (decode_node(nodes, node, error) < 0)
			return -1;
	return 0;
}
