/* marks - the events that a group has counted, and whether they make the pattern of its rule.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MARKS_H
#define CORRELATE_MARKS_H

#include "groups.h"

/* Times are microseconds since 1970. `kind` is an index in the rule's `kinds`. */

/* Count an event of this kind, which becomes the group's. Return false if it does not count: a
 * later event of its kind was counted before, or it continues no sequence. */
bool marks_add(struct group *group, size_t kind, uint64_t at_us, struct sighting *event);

/* Return true if the event of this kind, just added, completes the pattern. Never true for
 * RULE_LASTS and RULE_TOTAL, for which only time does. */
bool marks_are_complete(const struct group *group, size_t kind);

/* For RULE_LASTS: count the events of its open conditions, of which there is one at least, instead
 * of those before. */
void marks_follow_open(struct group *group);

/* Return true if `at_us` lies in the rule's span that ends at `end_us`. Always true for RULE_LASTS,
 * whose condition began before. */
bool marks_is_within(const struct rule *rule, uint64_t at_us, uint64_t end_us);

/* Remove the marks before the span that ends at `end_us`: a group lives on while events keep
 * coming, and its older events do not make the pattern. */
void marks_drop_old(struct group *group, uint64_t end_us);

#endif
