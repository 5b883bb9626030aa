/* lasting - begins and ends the conditions of groups of RULE_LASTS and RULE_TOTAL, and says when
 * these groups are due. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_LASTING_H
#define CORRELATE_LASTING_H

#include "groups.h"

/* Times are microseconds since 1970. `groups` has the group. */

/* Return true if the rule's conditions are open until a healthy event answers them: if the form is
 * RULE_LASTS or RULE_TOTAL. All other functions are for groups of such a rule only. */
bool lasting_is(const struct rule *rule);

/* Accept a matching event: it begins a condition, or repeats one that is open. Return 0, or -1 with
 * errno when memory ran out. */
int lasting_begin(
	struct groups *groups, struct group *group, uint64_t at_us, struct sighting *event);

/* End the open conditions that the healthy event answers, or all if it is NULL, but none that began
 * after `at_us`. Return true if a RULE_LASTS group has none left, and so is over. */
bool lasting_end(
	struct groups *groups, struct group *group, uint64_t at_us, const struct sighting *healthy);

/* Return when to check a RULE_TOTAL group next: when it may reach its total, or, while it is up,
 * when all its downtime has left the window. */
uint64_t lasting_total_next_us(const struct group *group, uint64_t now_us);

/* Nobody knows what happened between `now_us` and `to_us`: the open conditions start over. */
void lasting_restart(struct groups *groups, struct group *group, uint64_t now_us, uint64_t to_us);

#endif
