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

/* Values of a record, borrowed from it. */
struct values {
	json_t **items;
	size_t count, capacity;
};

struct known {
	uint64_t hash; /* of the shape's text */
	struct recshape shape;
	json_t *record;
	json_t *ts;             /* NULL: it has none */
	struct values integers; /* in the order of the text */
	struct values others;   /* objects and arrays in the record */
	uint64_t turn;          /* when it was last used */
	size_t follower;        /* entry of the record that last came after it */
	struct rec_memo memo;
};

struct recall {
	struct recshape shape; /* of the current record */
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
	free(known->others.items);
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
	free(recall);
}

/* --- reuse --- */

static bool
is_ours_alone(const json_t *value)
{
	return value->refcount == 1;
}

static bool
are_ours_alone(const struct values *values)
{
	for (size_t i = 0; i < values->count; i++) {
		if (!is_ours_alone(values->items[i]))
			return false;
	}
	return true;
}

/* Return whether nobody else holds the tree or a part of it, so that it may be changed. */
static bool
is_free(const struct known *known)
{
	return is_ours_alone(known->record) && (known->ts == NULL || is_ours_alone(known->ts)) &&
	       are_ours_alone(&known->integers) && are_ours_alone(&known->others);
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

/* Return the entry's record with the values of `shape`, or NULL when out of memory. */
static json_t *
reuse(struct recall *recall, size_t item, const struct recshape *shape)
{
	struct known *known = &recall->known[item];
	if (known->ts != NULL && json_string_setn(known->ts, shape->ts, shape->ts_length) < 0)
		return NULL;
	for (size_t i = 0; i < known->integers.count; i++)
		json_integer_set(known->integers.items[i], shape->integers[i].value);
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
	struct known *known = &recall->known[item];
	return is_free(known) && recshape_match(&known->shape, line, length)
		       ? reuse(recall, item, &known->shape)
		       : NULL;
}

/* Return NULL if there is none. Count the entries of this hash in `*taken`. */
static json_t *
recall_record(struct recall *recall, uint64_t hash, size_t *taken)
{
	for (size_t step = 0, i; (i = map_next(&recall->map, hash, &step)) != MAP_END;) {
		if (++*taken > SHAPE_MAX_RECORDS)
			return NULL;
		if (has_shape(&recall->known[i], &recall->shape) && is_free(&recall->known[i]))
			return reuse(recall, i, &recall->shape);
	}
	return NULL;
}

/* --- adding --- */

static bool
add_value(struct values *values, json_t *value)
{
	json_t **items =
		array_grown(values->items, values->count, &values->capacity, sizeof *items);
	if (items == NULL)
		return false;
	values->items = items;
	values->items[values->count++] = value;
	return true;
}

/* Collect the integers, objects and arrays of a value, and count its texts and keys. Return false
 * when out of memory. */
static bool
collect_values(struct known *known, json_t *value, size_t *strings)
{
	const char *key;
	json_t *item;
	size_t i;

	if (json_is_integer(value))
		return add_value(&known->integers, value);
	if (json_is_string(value))
		++*strings;
	if (!json_is_object(value) && !json_is_array(value))
		return true;
	if (value != known->record && !add_value(&known->others, value))
		return false;
	json_array_foreach (value, i, item) {
		if (!collect_values(known, item, strings))
			return false;
	}
	json_object_foreach (value, key, item) {
		++*strings;
		if (!collect_values(known, item, strings))
			return false;
	}
	return true;
}

/* Take over the shape. Return false when out of memory, or if the tree does not match the text: it
 * keeps only one of two equal keys, and maybe in another place. */
static bool
learn(struct known *known, struct recshape *shape)
{
	size_t strings = 0;

	known->shape = *shape;
	*shape = (struct recshape){.count = 0};
	if (known->shape.ts != NULL)
		known->ts = json_object_get(known->record, "ts");
	return collect_values(known, known->record, &strings) && strings == known->shape.strings &&
	       known->integers.count == known->shape.count;
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
	if (!learn(known, &recall->shape) || map_add(&recall->map, hash, recall->count) < 0) {
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
	if (length > RECORD_MAX_BYTES || !recshape_read(&recall->shape, line, length))
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
