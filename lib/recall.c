/* recall - reuses parsed records of the last scans that differ only in their numbers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "recall.h"

#include "array.h"
#include "hash.h"
#include "map.h"
#include "recshape.h"
#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* Forget a record after this many scans without it: extra scans (records#scan-records) contain only
 * few of them. */
#define TURNS_KEPT 16

/* Longest record remembered, longer than any of a port, and most bytes, more than a scan with all
 * its ports has: limits of the memory used, whatever the input is. */
#define RECORD_MAX_BYTES ((size_t)16 * 1024)
#define MAX_BYTES ((size_t)64 << 20)
#define MAX_RECORDS (SCAN_DEVICES_MAX + SCAN_PORTS_MAX)

/* Records of one shape, as of the two ports of a NIC, are compared one by one: limit them. */
#define SHAPE_MAX_RECORDS 64

/* Parts of a record, borrowed from it. */
struct parts {
	json_t **items;
	size_t count, capacity;
};

struct known {
	uint64_t hash; /* of the shape's text */
	struct recshape shape;
	json_t *record;
	json_t *ts;            /* NULL: it has none */
	struct parts integers; /* in the order of the text */
	int64_t *values;       /* of these integers */
	struct parts parents;  /* objects and arrays in the record that have integers in them */
	uint64_t turn;         /* when it was last used */
	size_t follower;       /* entry of the record that last came after it */
	struct rec_memo memo;
};

struct recall {
	struct recshape shape; /* of the current record */
	struct recshape_values values;
	struct known *known;
	size_t count, capacity;
	size_t bytes; /* of the texts of all shapes */
	struct map map;
	uint64_t turn;
	struct known *given; /* entry of the last record returned; NULL: not remembered */
	size_t last;         /* the last entry that was given; it may be another's now */
};

struct recall *
recall_new(void)
{
	return calloc(1, sizeof(struct recall));
}

static void
free_known(struct known *known)
{
	json_decref(known->record);
	recshape_fini(&known->shape);
	free(known->integers.items);
	free(known->values);
	free(known->parents.items);
}

void
recall_free(struct recall *recall)
{
	if (recall == NULL)
		return;
	for (size_t i = 0; i < recall->count; i++)
		free_known(&recall->known[i]);
	free(recall->known);
	map_fini(&recall->map);
	recshape_fini(&recall->shape);
	recshape_values_fini(&recall->values);
	free(recall);
}

/* --- reuse --- */

static bool
is_ours_alone(const json_t *value)
{
	return value->refcount == 1;
}

/* Return whether the tree may be given these values: nobody else holds it, or a part of it that
 * would change. A process that wakes up once a second finds little of a tree in the processor's
 * caches, so leave out the many integers that stay the same. */
static bool
is_free(const struct known *known, const int64_t *values)
{
	bool free = is_ours_alone(known->record) && (known->ts == NULL || is_ours_alone(known->ts));

	for (size_t i = 0; free && i < known->parents.count; i++)
		free = is_ours_alone(known->parents.items[i]);
	for (size_t i = 0; free && i < known->integers.count; i++)
		free = known->values[i] == values[i] || is_ours_alone(known->integers.items[i]);
	return free;
}

static bool
has_shape(const struct known *known, const struct recshape *shape)
{
	return known->shape.text.length == shape->text.length &&
	       memcmp(known->shape.text.bytes, shape->text.bytes, shape->text.length) == 0;
}

/* Remember that the next record is likely the one that came after this one the last time. */
static void
give(struct recall *recall, size_t item)
{
	recall->given = &recall->known[item];
	recall->given->turn = recall->turn;
	if (recall->last < recall->count)
		recall->known[recall->last].follower = item;
	recall->last = item;
}

/* Return the entry's record with the current values, or NULL when out of memory. */
static json_t *
reuse(struct recall *recall, size_t item)
{
	struct known *known = &recall->known[item];
	const struct recshape_values *values = &recall->values;
	if (known->ts != NULL && json_string_setn(known->ts, values->ts, values->ts_length) < 0)
		return NULL;
	for (size_t i = 0; i < known->integers.count; i++) {
		if (known->values[i] == values->integers[i])
			continue;
		known->values[i] = values->integers[i];
		json_integer_set(known->integers.items[i], known->values[i]);
	}
	give(recall, item);
	return json_incref(known->record);
}

/* Records mostly come in the order of the last scan: try the one that came next there. Return NULL
 * if it is another. */
static json_t *
recall_next(struct recall *recall, const char *line, size_t length)
{
	if (recall->last >= recall->count)
		return NULL;
	size_t item = recall->known[recall->last].follower;
	if (item >= recall->count)
		return NULL;
	const struct known *known = &recall->known[item];
	return recshape_match(&known->shape, &recall->values, line, length) &&
			       is_free(known, recall->values.integers)
		       ? reuse(recall, item)
		       : NULL;
}

/* Return NULL if there is none. Count the entries of this hash in `*taken`. */
static json_t *
recall_record(struct recall *recall, uint64_t hash, size_t *taken)
{
	for (size_t step = 0, i; (i = map_next(&recall->map, hash, &step)) != MAP_END;) {
		if (++*taken > SHAPE_MAX_RECORDS)
			return NULL;
		const struct known *known = &recall->known[i];
		if (has_shape(known, &recall->shape) && is_free(known, recall->values.integers))
			return reuse(recall, i);
	}
	return NULL;
}

/* --- adding --- */

static bool
add_part(struct parts *parts, json_t *part)
{
	json_t **items = array_grown(parts->items, parts->count, &parts->capacity, sizeof *items);
	if (items == NULL)
		return false;
	parts->items = items;
	parts->items[parts->count++] = part;
	return true;
}

/* Collect the integers of a value and the objects and arrays with integers in them, and count its
 * texts and keys. Return false when out of memory. */
static bool
collect_parts(struct known *known, json_t *value, size_t *strings)
{
	const char *key;
	json_t *item;
	size_t i, before = known->integers.count;

	if (json_is_integer(value))
		return add_part(&known->integers, value);
	if (json_is_string(value))
		++*strings;
	json_array_foreach (value, i, item) {
		if (!collect_parts(known, item, strings))
			return false;
	}
	json_object_foreach (value, key, item) {
		++*strings;
		if (!collect_parts(known, item, strings))
			return false;
	}
	return value == known->record || known->integers.count == before ||
	       add_part(&known->parents, value);
}

/* Take over the shape and copy the values. Return false when out of memory, or if the tree does not
 * match the text: it keeps only one of two equal keys, and maybe in another place. */
static bool
learn(struct known *known, struct recall *recall)
{
	size_t strings = 0;

	known->shape = recall->shape;
	recall->shape = (struct recshape){.count = 0};
	if (known->shape.has_ts)
		known->ts = json_object_get(known->record, "ts");
	if (!collect_parts(known, known->record, &strings) || strings != known->shape.strings ||
		known->integers.count != known->shape.count)
		return false;
	if (known->shape.count == 0)
		return true;
	size_t size = known->shape.count * sizeof *known->values;
	known->values = malloc(size);
	if (known->values == NULL)
		return false;
	memcpy(known->values, recall->values.integers, size);
	return true;
}

/* A failure only costs time: the record is then parsed again. */
static void
remember(struct recall *recall, uint64_t hash, json_t *record)
{
	if (recall->count == MAX_RECORDS || recall->bytes > MAX_BYTES)
		return;
	struct known *known =
		array_grown(recall->known, recall->count, &recall->capacity, sizeof *known);
	if (known == NULL)
		return;
	recall->known = known;
	known = &recall->known[recall->count];
	*known = (struct known){.hash = hash, .record = json_incref(record)};
	if (!learn(known, recall) || map_add(&recall->map, hash, recall->count) < 0) {
		free_known(known);
		return;
	}
	recall->bytes += known->shape.text.length;
	give(recall, recall->count++);
}

json_t *
recall_parse_new(struct recall *recall, const char *line, size_t length, struct rec_error *error)
{
	recall->given = NULL;
	json_t *record = recall_next(recall, line, length);
	if (record != NULL)
		return record;
	if (length > RECORD_MAX_BYTES ||
		!recshape_read(&recall->shape, &recall->values, line, length))
		return rec_parse_new(line, length, error);
	const struct strbuf *shape = &recall->shape.text;
	uint64_t hash = hash_words(HASH_START, shape->bytes, shape->length);
	size_t taken = 0;
	record = recall_record(recall, hash, &taken);
	if (record != NULL)
		return record;
	record = rec_parse_new(line, length, error);
	if (record != NULL && taken < SHAPE_MAX_RECORDS)
		remember(recall, hash, record);
	return record;
}

struct rec_memo *
recall_memo(struct recall *recall)
{
	return recall->given != NULL ? &recall->given->memo : NULL;
}

/* --- eviction --- */

static void
forget(struct recall *recall, size_t item)
{
	struct known *known = &recall->known[item], *last = &recall->known[recall->count - 1];

	map_remove(&recall->map, known->hash, item);
	recall->bytes -= known->shape.text.length;
	free_known(known);
	recall->count--;
	if (known == last)
		return;
	/* Move the last entry to the free place. map_add() has room after the removals. */
	map_remove(&recall->map, last->hash, recall->count);
	*known = *last;
	(void)map_add(&recall->map, known->hash, item);
}

void
recall_turn(struct recall *recall)
{
	recall->turn++;
	recall->given = NULL;
	for (size_t i = recall->count; i > 0; i--) {
		if (recall->known[i - 1].turn + TURNS_KEPT < recall->turn)
			forget(recall, i - 1);
	}
}
