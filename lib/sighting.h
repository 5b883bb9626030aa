/* sighting - an event as rules see it: the parts that rules can query, in one allocation. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SIGHTING_H
#define NHM_SIGHTING_H

#include "event.h"

/* Texts that an event has at most once. */
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

/* Their names in a record. */
extern const char *const sighting_fields[SIGHTING_FIELD_N];

/* Immutable, with a reference count. */
struct sighting {
	unsigned holders;
	bool is_fatal, is_healthy;
	bool has_seq;
	uint64_t seq;
	const char *fields[SIGHTING_FIELD_N]; /* NULL: not in the event */
	const char *const *codes;
	size_t code_count;
	const struct event_pair *entities, *metadata; /* a name may be "" */
	size_t entity_count, metadata_count;
};

/* Read a record from text. Release it with sighting_release(). Return NULL if quickjson rejects the
 * text, it is not a record, or memory ran out. */
struct sighting *sighting_read_new(const char *text, size_t length);

/* The same for a value that jansson has parsed, even one that is not a record. Return NULL when out
 * of memory. */
struct sighting *sighting_new(const json_t *record);

/* For a filter's accept(): return `*read`, the record that its read() parsed, and set it to NULL.
 * If it is NULL, return sighting_new(record). The caller releases the sighting. */
struct sighting *sighting_claim_new(struct sighting **read, const json_t *record);

/* Add a reference, to be released with sighting_release(). Return the sighting. */
struct sighting *sighting_hold(struct sighting *sighting);

/* Drop a reference. NULL is allowed. */
void sighting_release(struct sighting *sighting);

/* Return the kept parts as a record, or NULL when out of memory. */
json_t *sighting_encode_new(const struct sighting *sighting);

/* Return the value of the first entity of this type, or NULL. */
const char *sighting_entity(const struct sighting *sighting, const char *type);

/* Return the value of a metadata entry, or NULL. */
const char *sighting_metadata(const struct sighting *event, const char *name);

/* Return whether the event repeats an earlier one because a silence ended: nothing happened
 * again. */
bool sighting_is_repeated(const struct sighting *event);

/* Return the first errorCode, or NULL. */
const char *sighting_code(const struct sighting *sighting);

/* Set `*at_us` to the event's generatedTimestamp, microseconds since 1970. Return false with
 * `*error` if its time or node name is invalid. */
bool sighting_moment(const struct sighting *event, uint64_t *at_us, struct rec_error *error);

/* Return whether a healthy event of the same node ends what `event` reported: it has all codes of
 * `event`, or none, and `event` has all of its entities. */
bool sighting_answers(const struct sighting *healthy, const struct sighting *event);

/* Return whether two events of the same node report the same condition: they have the same check,
 * codes and entities. */
bool sighting_says_the_same(const struct sighting *a, const struct sighting *b);

#endif
