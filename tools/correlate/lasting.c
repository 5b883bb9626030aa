/* lasting - begins and ends the conditions of groups of RULE_LASTS and RULE_TOTAL. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lasting.h"

#include "marks.h"
#include "moment.h"
#include "num.h"

bool
lasting_is(const struct rule *rule)
{
	return rule->form == RULE_LASTS || rule->form == RULE_TOTAL;
}

/* --- when a group is due --- */

uint64_t
lasting_total_next_us(const struct group *group, uint64_t now_us)
{
	const struct rule *rule = group->rule;
	if (group->downtime->since_us == 0)
		return moment_later(now_us, rules_span_us(rule));
	if (group->standing)
		return MOMENT_NEVER;
	return downtime_reach_us(
		group->downtime, rules_span_us(rule), rule->total_ns / NUM_NS_PER_US, now_us);
}

static void
await_total(struct groups *groups, struct group *group, uint64_t now_us)
{
	heap_move(&groups->due, &group->due, lasting_total_next_us(group, now_us));
}

/* A RULE_LASTS group is due when its oldest open condition has lasted. */
static void
await_oldest(struct groups *groups, struct group *group)
{
	if (!group->standing)
		heap_move(&groups->due, &group->due,
			moment_later(open_since_us(&group->open), rules_span_us(group->rule)));
}

/* --- beginning and ending --- */

int
lasting_begin(struct groups *groups, struct group *group, uint64_t at_us, struct sighting *event)
{
	int added = open_add(&group->open, at_us, event);
	if (added <= 0)
		return added;
	if (group->rule->form == RULE_LASTS) {
		marks_follow_open(group);
		await_oldest(groups, group);
		return 0;
	}
	marks_add(group, 0, at_us, event);
	downtime_begin(group->downtime, at_us);
	await_total(groups, group, at_us);
	return 0;
}

/* A late event may answer an older condition last: then the downtime ends when the newest began, or
 * later. */
static void
end_downtime(struct groups *groups, struct group *group, uint64_t at_us)
{
	uint64_t newest_us = group->marks[group->mark_count - 1].at_us;
	if (at_us < newest_us)
		at_us = newest_us;
	downtime_end(group->downtime, at_us);
	await_total(groups, group, at_us);
}

bool
lasting_end(
	struct groups *groups, struct group *group, uint64_t at_us, const struct sighting *healthy)
{
	bool is_total = group->rule->form == RULE_TOTAL;
	if (!open_end(&group->open, at_us, healthy))
		return false;
	if (group->open.count == 0 && is_total)
		end_downtime(groups, group, at_us);
	else if (group->open.count > 0 && !is_total) {
		marks_follow_open(group);
		await_oldest(groups, group);
	}
	return group->open.count == 0 && !is_total;
}

/* --- clock changes --- */

void
lasting_restart(struct groups *groups, struct group *group, uint64_t now_us, uint64_t to_us)
{
	if (group->rule->form == RULE_LASTS) {
		group->open.from_us = to_us;
		await_oldest(groups, group);
	} else if (group->downtime->since_us != 0) {
		downtime_end(group->downtime, now_us);
		downtime_begin(group->downtime, to_us);
		await_total(groups, group, to_us);
	}
}
