/* derive - formats a finding as an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "derive.h"

#include "clock.h"
#include "num.h"
#include "strbuf.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

/* Enough: event_new() cuts longer messages anyway. */
#define MESSAGE_SIZE 2048

/* List the newest ids, oldest first. */
static void
put_evidence(struct strbuf *text, const struct group *group)
{
	size_t count;
	const struct group_mark *marks = groups_evidence(group, &count);
	size_t first = count > GROUPS_EVIDENCE_MAX ? count - GROUPS_EVIDENCE_MAX : 0;
	for (size_t i = first; i < count; i++)
		if (*marks[i].id != '\0')
			strbuf_addf(text, "%s%s", text->length > 0 ? "," : "", marks[i].id);
}

static void
put_message(struct strbuf *text, const struct finding *finding)
{
	const struct rule *rule = finding->group->rule;
	const char *said = text_or_empty(finding->group->event->fields[SIGHTING_MESSAGE]);
	const bool is_over = finding->kind == FINDING_OVER;
	switch (rule->form) {
	case RULE_COUNT:
		if (is_over)
			strbuf_addf(text, "no such event for %s", rule->span_text);
		else
			strbuf_addf(text, "%u event%s within %s, the latest: %s", rule->count,
				text_plural(rule->count), rule->span_text, said);
		break;
	case RULE_ALL:
		if (is_over)
			strbuf_addf(text, "no such events for %s", rule->span_text);
		else
			strbuf_addf(text, "all %zu kinds of events within %s, the latest: %s",
				rule->kind_count, rule->span_text, said);
		break;
	case RULE_LASTS:
		if (is_over)
			strbuf_addf(text, "ended: %s", said);
		else
			strbuf_addf(text, "for %s: %s", rule->span_text, said);
		break;
	case RULE_TOTAL:
		if (is_over)
			strbuf_addf(text, "no such event for %s", rule->span_text);
		else
			strbuf_addf(text, "for %s in total within %s, the latest: %s",
				rule->total_text, rule->span_text, said);
		break;
	case RULE_SEQUENCE:
		if (is_over)
			strbuf_addf(text, "no such events for %s", rule->span_text);
		else
			strbuf_addf(text, "%zu kinds of events in order within %s, the last: %s",
				rule->kind_count, rule->span_text, said);
		break;
	case RULE_FORM_N:
		break;
	}
}

/* Collect the entities that all events of the group share. */
static size_t
find_entities(const struct group *group, struct event_pair entities[RULES_GROUP_MAX])
{
	size_t count = 0;
	for (size_t i = 0; i < group->rule->group_count; i++) {
		const struct match_key *key = &group->rule->group[i];
		if (key->kind == MATCH_ENTITY)
			entities[count++] =
				(struct event_pair){key->name, match_value(group->event, key)};
	}
	return count;
}

/* Return the network interface of the port that all events of the group are about, which leads to
 * its switch. NULL: unknown, or the rule does not group by port. */
static const char *
find_netdev(const struct group *group)
{
	for (size_t i = 0; i < group->rule->group_count; i++) {
		const struct match_key *key = &group->rule->group[i];
		if (key->kind == MATCH_ENTITY && strcmp(key->name, "NICPort") == 0)
			return sighting_metadata(group->event, "netdev");
	}
	return NULL;
}

/* If all events of the group are STORE_ONLY, so is the derived event, unless the rule sets a
 * strategy. The stream's strategy is the upper limit. But receivers that acted upon a report ignore
 * an end that is STORE_ONLY. NULL: use the stream's strategy. */
static const char *
choose_strategy(const struct event_stream *stream, const struct group *group, bool is_over)
{
	if (is_over && group->executed)
		return event_strategies[EVENT_EXECUTE_REMEDIATION];
	if (strcmp(stream->strategy, event_strategies[EVENT_EXECUTE_REMEDIATION]) != 0)
		return NULL;
	if (group->rule->strategy != EVENT_STRATEGY_N)
		return event_strategies[group->rule->strategy];
	return group->did_act ? NULL : event_strategies[EVENT_STORE_ONLY];
}

json_t *
derive_new(struct event_stream *stream, const struct finding *finding)
{
	const struct group *group = finding->group;
	const struct rule *rule = group->rule;
	char stamp[CLOCK_STAMP_SIZE], message[MESSAGE_SIZE];
	char evidence[GROUPS_EVIDENCE_MAX * (EVENT_ID_SIZE + 1)];
	struct strbuf text, ids;
	struct event_pair entities[RULES_GROUP_MAX];
	const char *const codes[] = {group->code};
	const bool is_over = finding->kind == FINDING_OVER;

	strbuf_init(&text, message, sizeof message);
	put_message(&text, finding);
	strbuf_init(&ids, evidence, sizeof evidence);
	put_evidence(&ids, group);
	clock_format(finding->at_us * NUM_NS_PER_US, stamp);
	const char *netdev = find_netdev(group);
	const struct event_pair metadata[] = {{"evidence", evidence}, {"netdev", netdev}};
	const struct event event = {
		.agent = EVENT_ANALYZER,
		.check = rules_check(rule),
		.fatal = !is_over && rules_is_fatal(rule),
		.healthy = is_over,
		.action = rules_actions[is_over ? 0 : rule->action],
		.message = message,
		.message_length = strlen(message),
		.codes = codes,
		.code_count = *group->code != '\0',
		.entities = entities,
		.entity_count = find_entities(group, entities),
		.metadata = metadata,
		.metadata_count = netdev != NULL ? 2 : 1,
		.timestamp = stamp,
		.strategy = choose_strategy(stream, group, is_over),
	};
	return event_new(stream, &event);
}

json_t *
derive_clear_new(struct event_stream *stream, const char *check, const char *stamp)
{
	char message[MESSAGE_SIZE];
	/* Without --baseline, emit(1) sends this event to webhooks only if it ended a condition. */
	static const struct event_pair metadata[] = {{"baseline", "true"}};
	snprintf(message, sizeof message,
		"Baseline reset: earlier conditions of %s on this node are cleared", check);
	const struct event event = {
		.agent = EVENT_ANALYZER,
		.check = check,
		.healthy = true,
		.message = message,
		.message_length = strlen(message),
		.metadata = metadata,
		.metadata_count = 1,
		.timestamp = stamp,
	};
	return event_new(stream, &event);
}
