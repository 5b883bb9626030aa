/* match - which events a rule is about. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_MATCH_H
#define CORRELATE_MATCH_H

#include "sighting.h"

#include <stdbool.h>
#include <stddef.h>

/* What of an event is asked for: a field of event records, such as `checkName`; `entity.TYPE`, such
 * as `entity.NICPort`, or `metadata.NAME`. */
struct match_key {
	char *text; /* as it was written */
	enum { MATCH_FIELD, MATCH_CODE, MATCH_FATAL, MATCH_ENTITY, MATCH_METADATA } kind;
	enum sighting_field field;
	const char *name; /* of the entity or the metadata, in `text` */
};

/* False when the text, which is kept, cannot be a key. */
bool match_key_parse(struct match_key *key, char *text);

/* The event's value as a text that it lends: of errorCode the first one, of `true` and `false`
 * these words. NULL when it has none. */
const char *match_value(const struct sighting *event, const struct match_key *key);

/* One of the values has to be the event's, or none of them. A `*` in it stands for any text. */
struct condition {
	struct match_key key;
	bool excludes;
	char **values;
	size_t count;
};

/* All conditions have to hold; without any, all events match. */
struct match {
	struct condition *conditions;
	size_t count;
};

/* True when it matches. Any errorCode of the event counts. */
bool match_holds(const struct match *match, const struct sighting *event);

void match_fini(struct match *match);

#endif
