/* match - matches events against the conditions of a rule. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MATCH_H
#define CORRELATE_MATCH_H

#include "sighting.h"

#include <stdbool.h>
#include <stddef.h>

/* A value of an event: a field of event records such as `checkName`, or `entity.TYPE` such as
 * `entity.NICPort`, or `metadata.NAME`. */
struct match_key {
	char *text; /* as written in the rule */
	enum { MATCH_FIELD, MATCH_CODE, MATCH_FATAL, MATCH_ENTITY, MATCH_METADATA } kind;
	enum sighting_field field;
	const char *name; /* name of the entity or metadata, points into `text` */
};

/* Parse a key. Keeps `text`. Return false if it is not a key. */
bool match_key_parse(struct match_key *key, char *text);

/* Return the event's value as text, owned by the event: the first errorCode, `true` or `false` for
 * a flag. NULL if the event has no such value. */
const char *match_value(const struct sighting *event, const struct match_key *key);

/* The event's value must equal one of the values, or with `excludes` none. A `*` in a value matches
 * any text. */
struct condition {
	struct match_key key;
	bool excludes;
	char **values;
	size_t count;
};

/* All conditions must hold. Without conditions, every event matches. */
struct match {
	struct condition *conditions;
	size_t count;
};

/* Return true if the event matches. Any of its errorCodes may match. */
bool match_holds(const struct match *match, const struct sighting *event);

void match_fini(struct match *match);

#endif
