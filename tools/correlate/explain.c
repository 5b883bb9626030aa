/* explain - formats a decision about a group as a record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "explain.h"

#include "clock.h"
#include "num.h"
#include "strbuf.h"

#include <stdlib.h>

#define US_PER_S 1e6

static const char *const verdicts[FINDING_KIND_N] = {
	[FINDING_NEW] = "found",
	[FINDING_OVER] = "over",
	[FINDING_AGAIN] = "found",
	[FINDING_PASSED] = "passed",
	[FINDING_ANSWERED] = "answered",
	[FINDING_EXCEPTED] = "excepted",
	[FINDING_OPEN] = "open",
};

/* --- reasons --- */

/* Count the marks that are set. */
static size_t
count_marks(const struct group *group)
{
	size_t count, come = 0;
	const struct group_mark *marks = groups_evidence(group, &count);
	for (size_t i = 0; i < count; i++)
		come += marks[i].at_us != 0;
	return come;
}

static void
put_passed(struct strbuf *text, const struct rule *rule, const struct group *group)
{
	if (rule->form == RULE_COUNT)
		strbuf_addf(text, "%zu events, but never %u of them within %s", count_marks(group),
			rule->count, rule->span_text);
	else if (rule->form == RULE_ALL)
		strbuf_addf(text, "not all %zu kinds of events came within %s", rule->kind_count,
			rule->span_text);
	else if (rule->form == RULE_SEQUENCE)
		strbuf_addf(text, "of %zu kinds of events, only %zu came in order within %s",
			rule->kind_count, count_marks(group), rule->span_text);
	else
		strbuf_addf(text, "the total never reached %s within %s", rule->total_text,
			rule->span_text);
}

static double
seconds_since_begin(const struct finding *finding)
{
	uint64_t began_us = finding->group->marks[0].at_us;
	return finding->at_us > began_us ? (double)(finding->at_us - began_us) / US_PER_S : 0;
}

static void
put_open(struct strbuf *text, const struct rule *rule, const struct finding *finding)
{
	const struct group *group = finding->group;
	if (rule->form == RULE_COUNT)
		strbuf_addf(text, "%zu events so far, but not %u of them within %s",
			count_marks(group), rule->count, rule->span_text);
	else if (rule->form == RULE_ALL || rule->form == RULE_SEQUENCE)
		strbuf_addf(text, "%zu of %zu kinds of events so far within %s", count_marks(group),
			rule->kind_count, rule->span_text);
	else if (rule->form == RULE_LASTS)
		strbuf_addf(text, "not answered for %.6g s so far, the rule needs %s",
			seconds_since_begin(finding), rule->span_text);
	else
		strbuf_addf(text, "%.6g s in total so far, the rule needs %s within %s",
			(double)downtime_total_us(
				group->downtime, rules_span_us(rule), finding->at_us) /
				US_PER_S,
			rule->total_text, rule->span_text);
}

static char *
reason_new(const struct finding *finding, const json_t *event)
{
	const struct rule *rule = finding->group->rule;
	struct strbuf text = {0};
	switch (finding->kind) {
	case FINDING_NEW:
	case FINDING_OVER:
	case FINDING_AGAIN:
		strbuf_addf(&text, "%s", json_string_value(json_object_get(event, "message")));
		break;
	case FINDING_PASSED:
		put_passed(&text, rule, finding->group);
		break;
	case FINDING_ANSWERED:
		strbuf_addf(&text, "answered after %.6g s, the rule needs %s",
			seconds_since_begin(finding), rule->span_text);
		break;
	case FINDING_EXCEPTED:
		strbuf_addf(&text, "an event that matches \"unless\" came after %.6g s",
			seconds_since_begin(finding));
		break;
	case FINDING_OPEN:
		put_open(&text, rule, finding);
		break;
	case FINDING_KIND_N:
		break;
	}
	return strbuf_detach_new(&text);
}

/* --- the record --- */

static json_t *
values_new(const struct group *group)
{
	json_t *values = json_object();
	for (size_t i = 0; i < group->rule->group_count; i++) {
		const struct match_key *key = &group->rule->group[i];
		json_object_set_new(values, key->text, json_string(match_value(group->event, key)));
	}
	return values;
}

static json_t *
evidence_new(const struct group *group)
{
	size_t count;
	const struct group_mark *marks = groups_evidence(group, &count);
	json_t *ids = json_array();
	for (size_t i = 0; i < count; i++)
		if (*marks[i].id != '\0')
			json_array_append_new(ids, json_string(marks[i].id));
	return ids;
}

json_t *
explain_new(const char *node, const struct finding *finding, const json_t *event)
{
	char stamp[CLOCK_STAMP_SIZE];
	char *reason = reason_new(finding, event);
	if (reason == NULL)
		return NULL;
	clock_format(finding->at_us * NUM_NS_PER_US, stamp);
	json_t *record = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s?, s:o, s:s, s:s, s:o, s:O?}",
		"kind", "decision", "v", 1, "ts", stamp, "about", "pattern", "rule",
		finding->group->rule->name, "node", *node != '\0' ? node : NULL, "group",
		values_new(finding->group), "verdict", verdicts[finding->kind], "reason", reason,
		"evidence", evidence_new(finding->group), "event", json_object_get(event, "id"));
	free(reason);
	return record;
}
