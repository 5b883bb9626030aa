/* sighting - an event as rules see it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sighting.h"

#include <stdlib.h>
#include <string.h>

const char *const sighting_fields[SIGHTING_FIELD_N] = {
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

/* --- one piece of memory --- */

/* How much of it there is, or what has been put into it. */
struct piece {
	struct event_pair *pairs;
	const char **codes;
	char *text;
	size_t pair_count, code_count, text_bytes;
};

/* Counts a text, or copies it behind the others. NULL is none. */
static const char *
put_text(struct piece *piece, const char *text)
{
	if (text == NULL)
		return NULL;
	size_t bytes = strlen(text) + 1;
	const char *copy =
		piece->text != NULL ? memcpy(piece->text + piece->text_bytes, text, bytes) : text;
	piece->text_bytes += bytes;
	return copy;
}

static void
put_code(struct piece *piece, const json_t *code)
{
	const char *text = put_text(piece, json_string_value(code));
	if (text != NULL && piece->codes != NULL)
		piece->codes[piece->code_count] = text;
	piece->code_count += text != NULL;
}

static void
put_pair(struct piece *piece, const char *name, const char *value)
{
	const struct event_pair pair = {
		put_text(piece, name != NULL ? name : ""), put_text(piece, value)};
	if (piece->pairs != NULL)
		piece->pairs[piece->pair_count] = pair;
	piece->pair_count++;
}

/* Puts all of a record into the piece, and what came of it into `*out`, once there is memory. */
static void
put_record(struct piece *piece, const json_t *record, struct sighting *out)
{
	size_t i;
	const char *name;
	json_t *value, *metadata = json_object_get(record, "metadata");
	const json_t *codes = json_object_get(record, "errorCode");
	out->is_fatal = json_is_true(json_object_get(record, "isFatal"));
	out->is_healthy = json_is_true(json_object_get(record, "isHealthy"));
	out->has_seq = rec_get_u64(record, "seq", &out->seq) == REC_OK;
	for (enum sighting_field field = 0; field < SIGHTING_FIELD_N; field++)
		out->fields[field] = put_text(
			piece, json_string_value(json_object_get(record, sighting_fields[field])));
	out->codes = piece->codes;
	if (json_is_string(codes))
		put_code(piece, codes);
	json_array_foreach (codes, i, value)
		put_code(piece, value);
	out->code_count = piece->code_count;
	out->entities = piece->pairs;
	json_array_foreach (json_object_get(record, "entitiesImpacted"), i, value)
		put_pair(piece, json_string_value(json_object_get(value, "entityType")),
			json_string_value(json_object_get(value, "entityValue")));
	out->entity_count = piece->pair_count;
	out->metadata = piece->pairs != NULL ? piece->pairs + piece->pair_count : NULL;
	json_object_foreach (metadata, name, value)
		put_pair(piece, name, json_string_value(value));
	out->metadata_count = piece->pair_count - out->entity_count;
}

struct sighting *
sighting_new(const json_t *record)
{
	struct sighting measured;
	struct piece size = {0};
	put_record(&size, record, &measured);
	size_t pairs_bytes = size.pair_count * sizeof *size.pairs;
	size_t codes_bytes = size.code_count * sizeof *size.codes;
	struct sighting *sighting =
		malloc(sizeof *sighting + pairs_bytes + codes_bytes + size.text_bytes);
	if (sighting == NULL)
		return NULL;
	struct piece piece = {.pairs = (struct event_pair *)(sighting + 1)};
	piece.codes = (const char **)(void *)((char *)piece.pairs + pairs_bytes);
	piece.text = (char *)piece.codes + codes_bytes;
	*sighting = (struct sighting){.holders = 1};
	put_record(&piece, record, sighting);
	return sighting;
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

/* --- as a record --- */

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

/* --- what it has --- */

const char *
sighting_entity(const struct sighting *sighting, const char *type)
{
	for (size_t i = 0; i < sighting->entity_count; i++)
		if (strcmp(sighting->entities[i].name, type) == 0)
			return sighting->entities[i].value;
	return NULL;
}

const char *
sighting_code(const struct sighting *sighting)
{
	return sighting->code_count > 0 ? sighting->codes[0] : NULL;
}
