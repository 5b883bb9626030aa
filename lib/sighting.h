/* sighting - an event as rules see it: what of it they can ask for, in one piece of memory. Pure.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SIGHTING_H
#define NHM_SIGHTING_H

#include "event.h"

/* Texts of which an event has at most one. */
enum sighting_field {
	SIGHTING_KIND,
	SIGHTING_AGENT,
	SIGHTING_CHECK,
	SIGHTING_COMPONENT,
	SIGHTING_MESSAGE,
	SIGHTING_NODE,
	SIGHTING_STRATEGY,
	SIGHTING_ACTION,
	SIGHTING_ID,
	SIGHTING_SOURCE,
	SIGHTING_STAMP, /* generatedTimestamp */
	SIGHTING_FIELD_N,
};

/* What these are called in a record. */
extern const char *const sighting_fields[SIGHTING_FIELD_N];

/* Never changes. */
struct sighting {
	unsigned holders;
	bool is_fatal, is_healthy;
	bool has_seq;
	uint64_t seq;
	const char *fields[SIGHTING_FIELD_N]; /* NULL: it has none */
	const char *const *codes;
	size_t code_count;
	const struct event_pair *entities, *metadata; /* a name may be "" */
	size_t entity_count, metadata_count;
};

/* That of a record, as a text; to be given back with sighting_release(). NULL when quickjson cannot
 * read it, it is no record, or memory ran out. */
struct sighting *sighting_read_new(const char *text, size_t length);

/* The same of any JSON value, whatever it has. NULL when memory ran out. */
struct sighting *sighting_new(const json_t *record);

/* Another holder, which gives it back, too. Returns it. */
struct sighting *sighting_hold(struct sighting *sighting);

/* NULL is allowed. */
void sighting_release(struct sighting *sighting);

/* What is kept of the record, as one. NULL when memory ran out. */
json_t *sighting_encode_new(const struct sighting *sighting);

/* The value of the first entity of this type; NULL: there is none. */
const char *sighting_entity(const struct sighting *sighting, const char *type);

/* The value of an entry of its metadata; NULL: there is none. */
const char *sighting_metadata(const struct sighting *event, const char *name);

/* Whether it says once more what was said before, because a silence is over: it has not happened
 * again. */
bool sighting_is_repeated(const struct sighting *event);

/* The first errorCode; NULL: there is none. */
const char *sighting_code(const struct sighting *sighting);

/* When an event was observed, microseconds since 1970. False with `*error` when it is not what an
 * event has to be. */
bool sighting_moment(const struct sighting *event, uint64_t *at_us, struct rec_error *error);

/* Whether a healthy event of the same node ends what an event says: one that names no entity, or no
 * code, is about all of them. */
bool sighting_answers(const struct sighting *healthy, const struct sighting *event);

#endif
