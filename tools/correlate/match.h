/* match - which events a rule is about. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MATCH_H
#define CORRELATE_MATCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* One of the values has to be the event's, which `key` names, see match_value(). A `*` in it stands
 * for any text. */
struct condition {
	char *key;
	char **values;
	size_t count;
};

/* All conditions have to hold; without any, all events match. */
struct match {
	struct condition *conditions;
	size_t count;
};

/* True for what can be a key: a field of event records, such as `checkName`; `entity.TYPE`, such as
 * `entity.NICPort`, or `metadata.NAME`. */
bool match_is_key(const char *key);

/* The event's value as a text that it lends: of errorCode the first one, of `true` and `false`
 * these words. NULL when it has none. */
const char *match_value(const json_t *event, const char *key);

/* True when it matches. Of errorCode any one will do. */
bool match_holds(const struct match *match, const json_t *event);

void match_fini(struct match *match);

#endif
