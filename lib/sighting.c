/* sighting - an event as rules see it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sighting.h"

#include "clock.h"
#include "num.h"
#include "quickjson.h"
#include "silence.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

const char *const sighting_fields[SIGHTING_FIELD_N] = {
	[SIGHTING_KIND] = "kind",
	[SIGHTING_AGENT] = "agent",
	[SIGHTING_CHECK] = "checkName",
	[SIGHTING_COMPONENT] = "componentClass",
	[SIGHTING_MESSAGE] = "message",
	[SIGHTING_NODE] = "nodeName",
	[SIGHTING_STRATEGY] = "processingStrategy",
	[SIGHTING_ACTION] = "recommendedAction",
	[SIGHTING_ID] = "id",
	[SIGHTING_SOURCE] = "source",
	[SIGHTING_STAMP] = "generatedTimestamp",
};

/* --- allocation --- */

/* A sighting in one allocation. The first pass measures, the second fills it. */
struct piece {
	struct sighting *sighting; /* its counts grow with each item */
	const char **codes;
	struct event_pair *entities, *metadata;
	char *text; /* NULL: measure only */
	size_t text_bytes;
};

/* Append a copy with a NUL. */
static const char *
put_bytes(struct piece *piece, const char *bytes, size_t length)
{
	char *copy = piece->text != NULL ? piece->text + piece->text_bytes : NULL;
	piece->text_bytes += length + 1;
	if (copy == NULL)
		return bytes;
	memcpy(copy, bytes, length);
	copy[length] = '\0';
	return copy;
}

/* Return NULL if the value is not a text. */
static const char *
put_text(struct piece *piece, struct quickjson value)
{
	const char *bytes;
	size_t length;
	return quickjson_text(value, &bytes, &length) ? put_bytes(piece, bytes, length) : NULL;
}

static void
put_code(void *context, struct quickjson code)
{
	struct piece *piece = context;
	const char *text = put_text(piece, code);
	if (text != NULL && piece->text != NULL)
		piece->codes[piece->sighting->code_count] = text;
	piece->sighting->code_count += text != NULL;
}

/* NAMED(name, length, "text") is true for that name. */
#define NAMED(name, length, text) \
	((length) == sizeof(text) - 1 && memcmp(name, text, sizeof(text) - 1) == 0)

static bool
is_field(enum sighting_field field, const char *name, size_t length)
{
	const char *wanted = sighting_fields[field];
	/* Compare the first letter before calling strncmp(): most names differ there. */
	return length > 0 && *wanted == *name && strncmp(wanted, name, length) == 0 &&
	       wanted[length] == '\0';
}

/* Return SIGHTING_FIELD_N if it is not a field. */
static enum sighting_field
find_field(const char *name, size_t length)
{
	enum sighting_field field = 0;
	while (field < SIGHTING_FIELD_N && !is_field(field, name, length))
		field++;
	return field;
}

struct entity {
	struct piece *piece;
	struct event_pair pair;
};

static void
put_entity_member(void *context, const char *name, size_t length, struct quickjson value)
{
	struct entity *entity = context;
	if (NAMED(name, length, "entityType"))
		entity->pair.name = put_text(entity->piece, value);
	else if (NAMED(name, length, "entityValue"))
		entity->pair.value = put_text(entity->piece, value);
}

static void
put_entity(void *context, struct quickjson value)
{
	struct piece *piece = context;
	struct entity entity = {.piece = piece};
	quickjson_members(value, put_entity_member, &entity);
	if (entity.pair.name == NULL)
		entity.pair.name = "";
	if (piece->text != NULL)
		piece->entities[piece->sighting->entity_count] = entity.pair;
	piece->sighting->entity_count++;
}

static void
put_metadata(void *context, const char *name, size_t length, struct quickjson value)
{
	struct piece *piece = context;
	const char *key = put_bytes(piece, name, length), *text = put_text(piece, value);
	if (piece->text != NULL)
		piece->metadata[piece->sighting->metadata_count] = (struct event_pair){key, text};
	piece->sighting->metadata_count++;
}

/* Accept integers and decimal strings, like rec_u64(), but no reals: no writer numbers events with
 * them. */
static bool
get_number(struct quickjson value, uint64_t *out)
{
	const char *bytes;
	size_t length;
	char digits[NUM_U64_SIZE];
	if (quickjson_u64(value, out))
		return true;
	if (!quickjson_text(value, &bytes, &length) || length >= sizeof digits)
		return false;
	memcpy(digits, bytes, length);
	digits[length] = '\0';
	return num_parse_u64(digits, UINT64_MAX, out) == NUM_OK;
}

static void
put_member(void *context, const char *name, size_t length, struct quickjson value)
{
	struct piece *piece = context;
	struct sighting *sighting = piece->sighting;
	if (NAMED(name, length, "isFatal"))
		quickjson_bool(value, &sighting->is_fatal);
	else if (NAMED(name, length, "isHealthy"))
		quickjson_bool(value, &sighting->is_healthy);
	else if (NAMED(name, length, "seq"))
		sighting->has_seq = get_number(value, &sighting->seq);
	else if (NAMED(name, length, "entitiesImpacted"))
		quickjson_items(value, put_entity, piece);
	else if (NAMED(name, length, "metadata"))
		quickjson_members(value, put_metadata, piece);
	else if (NAMED(name, length, "errorCode")) {
		/* errorCode may be one text or an array. */
		put_code(piece, value);
		quickjson_items(value, put_code, piece);
	}
	enum sighting_field field = find_field(name, length);
	if (field < SIGHTING_FIELD_N)
		sighting->fields[field] = put_text(piece, value);
}

static struct sighting *
sighting_of(struct quickjson record)
{
	struct sighting size = {.holders = 0};
	struct piece measured = {.sighting = &size};
	quickjson_members(record, put_member, &measured);
	size_t pairs = size.entity_count + size.metadata_count;
	size_t pairs_bytes = pairs * sizeof *measured.entities;
	size_t codes_bytes = size.code_count * sizeof *measured.codes;
	struct sighting *sighting =
		malloc(sizeof *sighting + pairs_bytes + codes_bytes + measured.text_bytes);
	if (sighting == NULL)
		return NULL;
	struct event_pair *entities = (struct event_pair *)(sighting + 1);
	const char **codes = (const char **)(entities + pairs);
	struct piece piece = {.sighting = sighting,
		.codes = codes,
		.entities = entities,
		.metadata = entities + size.entity_count,
		.text = (char *)(codes + size.code_count)};
	*sighting = (struct sighting){
		.holders = 1, .codes = codes, .entities = entities, .metadata = piece.metadata};
	quickjson_members(record, put_member, &piece);
	return sighting;
}

struct sighting *
sighting_read_new(const char *text, size_t length)
{
	struct quickjson root;
	struct sighting *sighting = quickjson_parse(text, length, &root) ? sighting_of(root) : NULL;
	if (sighting == NULL || sighting->fields[SIGHTING_KIND] != NULL)
		return sighting;
	sighting_release(sighting);
	return NULL;
}

struct sighting *
sighting_new(const json_t *record)
{
	struct quickjson root;
	size_t length = json_dumpb(record, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY);
	char *text = malloc(length + 1);
	struct sighting *sighting = NULL;
	if (text != NULL) {
		json_dumpb(record, text, length, JSON_COMPACT | JSON_ENCODE_ANY);
		if (quickjson_parse(text, length, &root))
			sighting = sighting_of(root);
	}
	free(text);
	return sighting;
}

struct sighting *
sighting_claim_new(struct sighting **read, const json_t *record)
{
	struct sighting *sighting = *read;
	*read = NULL;
	return sighting != NULL ? sighting : sighting_new(record);
}

struct sighting *
sighting_hold(struct sighting *sighting)
{
	sighting->holders++;
	return sighting;
}

void
sighting_release(struct sighting *sighting)
{
	if (sighting != NULL && --sighting->holders == 0)
		free(sighting);
}

/* --- encoding --- */

static json_t *
entities_new(const struct sighting *sighting)
{
	json_t *list = json_array();
	for (size_t i = 0; i < sighting->entity_count; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s*}", "entityType", sighting->entities[i].name,
				      "entityValue", sighting->entities[i].value));
	return list;
}

static json_t *
metadata_new(const struct sighting *sighting)
{
	json_t *metadata = json_object();
	for (size_t i = 0; i < sighting->metadata_count; i++)
		if (sighting->metadata[i].value != NULL)
			json_object_set_new(metadata, sighting->metadata[i].name,
				json_string(sighting->metadata[i].value));
	return metadata;
}

static json_t *
codes_new(const struct sighting *sighting)
{
	json_t *codes = json_array();
	for (size_t i = 0; i < sighting->code_count; i++)
		json_array_append_new(codes, json_string(sighting->codes[i]));
	return codes;
}

json_t *
sighting_encode_new(const struct sighting *sighting)
{
	json_t *record = json_pack("{s:b, s:b, s:o, s:o, s:o}", "isFatal", sighting->is_fatal,
		"isHealthy", sighting->is_healthy, "errorCode", codes_new(sighting),
		"entitiesImpacted", entities_new(sighting), "metadata", metadata_new(sighting));
	for (enum sighting_field field = 0; field < SIGHTING_FIELD_N; field++)
		if (sighting->fields[field] != NULL)
			json_object_set_new(record, sighting_fields[field],
				json_string(sighting->fields[field]));
	if (sighting->has_seq)
		json_object_set_new(record, "seq", rec_u64_new(sighting->seq));
	return record;
}

/* --- getters --- */

const char *
sighting_entity(const struct sighting *sighting, const char *type)
{
	for (size_t i = 0; i < sighting->entity_count; i++)
		if (strcmp(sighting->entities[i].name, type) == 0)
			return sighting->entities[i].value;
	return NULL;
}

const char *
sighting_metadata(const struct sighting *event, const char *name)
{
	for (size_t i = 0; i < event->metadata_count; i++) {
		if (strcmp(event->metadata[i].name, name) == 0)
			return event->metadata[i].value;
	}
	return NULL;
}

bool
sighting_is_repeated(const struct sighting *event)
{
	return sighting_metadata(event, SILENCE_AFTER_KEY) != NULL;
}

const char *
sighting_code(const struct sighting *sighting)
{
	return sighting->code_count > 0 ? sighting->codes[0] : NULL;
}

bool
sighting_moment(const struct sighting *event, uint64_t *at_us, struct rec_error *error)
{
	const char *node = event->fields[SIGHTING_NODE];
	const char *stamp = event->fields[SIGHTING_STAMP];
	uint64_t at_ns;
	if (node != NULL && strlen(node) > REC_NODE_MAX_BYTES)
		rec_refuse(error, "\"nodeName\" is too long");
	else if (stamp == NULL || !clock_parse(stamp, &at_ns) ||
		 at_ns / NUM_NS_PER_US > EVENT_LAST_US_MAX)
		rec_refuse(error, "\"generatedTimestamp\" is not a time");
	else {
		*at_us = at_ns / NUM_NS_PER_US;
		return true;
	}
	return false;
}

static bool
has_code(const struct sighting *sighting, const char *code)
{
	for (size_t i = 0; i < sighting->code_count; i++)
		if (strcmp(sighting->codes[i], code) == 0)
			return true;
	return false;
}

static bool
has_entity(const struct sighting *sighting, const struct event_pair *entity)
{
	for (size_t i = 0; i < sighting->entity_count; i++)
		if (text_equals(sighting->entities[i].name, entity->name) &&
			text_equals(sighting->entities[i].value, entity->value))
			return true;
	return false;
}

bool
sighting_answers(const struct sighting *healthy, const struct sighting *event)
{
	if (!text_equals(healthy->fields[SIGHTING_CHECK], event->fields[SIGHTING_CHECK]) ||
		(healthy->code_count > 0 && event->code_count == 0))
		return false;
	for (size_t i = 0; healthy->code_count > 0 && i < event->code_count; i++)
		if (!has_code(healthy, event->codes[i]))
			return false;
	for (size_t i = 0; i < healthy->entity_count; i++)
		if (!has_entity(event, &healthy->entities[i]))
			return false;
	return true;
}

bool
sighting_says_the_same(const struct sighting *a, const struct sighting *b)
{
	if (!text_is_same(a->fields[SIGHTING_CHECK], b->fields[SIGHTING_CHECK]) ||
		a->entity_count != b->entity_count || a->code_count != b->code_count)
		return false;
	for (size_t i = 0; i < a->code_count; i++)
		if (strcmp(a->codes[i], b->codes[i]) != 0)
			return false;
	for (size_t i = 0; i < a->entity_count; i++)
		if (!text_is_same(a->entities[i].name, b->entities[i].name) ||
			!text_is_same(a->entities[i].value, b->entities[i].value))
			return false;
	return true;
}
