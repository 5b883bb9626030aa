/* facts - the fields of an event that emit uses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "facts.h"

#include "array.h"
#include "clock.h"
#include "event.h"
#include "rec.h"
#include "runbook.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

/* Append `length` bytes of `text`, cut if `out` is full. */
static void
append(char out[FACTS_TEXT_SIZE], size_t *used, const char *text, size_t length)
{
	length = utf8_cut(text, length, FACTS_TEXT_SIZE - 1 - *used);
	memcpy(out + *used, text, length);
	*used += length;
	out[*used] = '\0';
}

/* Append `between`, then `text` with its commas and backslashes escaped. */
static void
join(char out[FACTS_TEXT_SIZE], const char *between, const char *text)
{
	size_t used = strlen(out);
	append(out, &used, between, strlen(between));
	while (*text != '\0') {
		size_t plain = strcspn(text, ",\\");
		append(out, &used, text, plain);
		text += plain;
		/* Append the backslash and the character together or neither: a cut after the
		 * backslash would escape the next separator. */
		if (*text == '\0' || used + 2 >= FACTS_TEXT_SIZE)
			break;
		append(out, &used, "\\", 1);
		append(out, &used, text++, 1);
	}
}

static void
read_entities(struct facts *facts, struct facts_room *room, const json_t *event)
{
	char *about = room->about, *devices = room->devices;
	size_t i;
	const json_t *entity;
	json_array_foreach (json_object_get(event, "entitiesImpacted"), i, entity) {
		const char *type = rec_text(entity, "entityType"),
			   *value = rec_text(entity, "entityValue");
		join(about, i > 0 ? "," : "", type);
		join(about, "=", value);
		if (strcmp(type, "NIC") == 0)
			join(devices, *devices != '\0' ? "," : "", value);
		if (strcmp(type, "NIC") == 0 && *facts->device == '\0')
			facts->device = value;
		if (strcmp(type, "NICPort") == 0 && *facts->port == '\0')
			facts->port = value;
	}
}

static void
read_codes(char codes[FACTS_TEXT_SIZE], const json_t *event)
{
	size_t i;
	const json_t *code;
	json_array_foreach (json_object_get(event, "errorCode"), i, code) {
		/* Skip items that are not strings: they are not sent either. */
		if (json_is_string(code) && json_string_length(code) > 0)
			join(codes, *codes != '\0' ? "," : "", json_string_value(code));
	}
}

void
facts_read(struct facts *facts, struct facts_room *room, const json_t *event)
{
	*facts = (struct facts){
		.id = rec_text(event, "id"),
		.source = rec_text(event, "source"),
		.agent = rec_text(event, "agent"),
		.node = rec_text(event, "nodeName"),
		.check = rec_text(event, "checkName"),
		.message = rec_text(event, "message"),
		.action = rec_text(event, "recommendedAction"),
		.cause = rec_text(json_object_get(event, "metadata"), "cause"),
		.device = "",
		.port = "",
		.about = room->about,
		.code = room->code,
	};
	*room->about = *room->code = *room->devices = '\0';
	const json_t *metadata = json_object_get(event, "metadata");
	facts->silence = rec_text(metadata, FACTS_SILENCE_KEY);
	facts->strategy = rec_text(*facts->silence != '\0' ? metadata : event,
		*facts->silence != '\0' ? FACTS_SILENCE_STRATEGY_KEY : "processingStrategy");
	if (*facts->strategy == '\0')
		facts->strategy = event_strategies[EVENT_EXECUTE_REMEDIATION];
	const char *baseline = rec_text(metadata, FACTS_BASELINE_KEY);
	if (strlen(facts->source) > FACTS_SOURCE_MAX)
		facts->source = "";
	/* SQLite's and JSON's integers end at 2^63-1. Reject a real: a double may have been rounded
	 * to the number of another event. */
	if (rec_get_u64(event, "seq", &facts->seq) != REC_OK || facts->seq > INT64_MAX ||
		json_is_real(json_object_get(event, "seq")))
		facts->seq = 0;
	rec_get_bool(event, "isFatal", &facts->fatal);
	rec_get_bool(event, "isHealthy", &facts->healthy);
	facts->baseline = facts->healthy && strcmp(baseline, FACTS_BASELINE_VALUE) == 0;
	if (!clock_parse(rec_text(event, "generatedTimestamp"), &facts->time_ns) ||
		facts->time_ns > INT64_MAX)
		facts->time_ns = 0;
	read_entities(facts, room, event);
	/* An event about a card lists the card's devices in metadata.devices. */
	const char *of_card = rec_text(metadata, "devices");
	facts->devices = *of_card != '\0' ? of_card : room->devices;
	read_codes(room->code, event);
}

json_t *
facts_parse_new(struct facts *facts, struct facts_room *room, const char *text, size_t length)
{
	struct rec_error error;
	json_t *record = rec_parse_new(text, length, &error);
	if (record != NULL)
		facts_read(facts, room, record);
	return record;
}

void *
facts_copy_texts_new(size_t before, const char **const *texts, size_t count)
{
	size_t bytes = before;
	for (size_t i = 0; i < count; i++)
		bytes += strlen(*texts[i]) + 1;
	char *block = malloc(bytes), *at = block != NULL ? block + before : NULL;
	for (size_t i = 0; i < count && block != NULL; i++) {
		size_t size = strlen(*texts[i]) + 1;
		*texts[i] = memcpy(at, *texts[i], size);
		at += size;
	}
	return block;
}

struct facts *
facts_copy_new(const struct facts *facts)
{
	struct facts copy = *facts;
	const char **const texts[] = {&copy.cause, &copy.id, &copy.agent, &copy.node, &copy.check,
		&copy.message, &copy.action, &copy.source, &copy.device, &copy.port, &copy.about,
		&copy.code, &copy.devices, &copy.strategy, &copy.silence};
	struct facts *block = facts_copy_texts_new(sizeof copy, texts, ARRAY_COUNT(texts));
	if (block != NULL)
		*block = copy;
	return block;
}

bool
facts_are_urgent(const struct facts *facts)
{
	return facts->fatal || facts->healthy;
}

/* --- the line --- */

/* Set `key` if it is missing or null. Return true if it was set. */
static bool
set_missing(json_t *event, const char *key, const char *value)
{
	const json_t *present = json_object_get(event, key);
	if (present != NULL && !json_is_null(present))
		return false;
	return json_object_set_new(event, key, json_string(value)) == 0;
}

json_t *
facts_metadata(json_t *event)
{
	json_t *metadata = json_object_get(event, "metadata");
	if (json_is_object(metadata))
		return metadata;
	metadata = json_object();
	return json_object_set_new(event, "metadata", metadata) == 0 ? metadata : NULL;
}

bool
facts_add_runbook(json_t *event, const char *url)
{
	struct facts facts;
	struct facts_room room;
	if (url == NULL)
		return false;
	facts_read(&facts, &room, event);
	json_t *metadata = facts_metadata(event);
	if (facts.healthy || json_object_get(metadata, FACTS_RUNBOOK_KEY) != NULL)
		return false;
	char *page = runbook_url_new(url, facts.check, facts.code);
	bool has_changed = page != NULL &&
			   json_object_set_new(metadata, FACTS_RUNBOOK_KEY, json_string(page)) == 0;
	free(page);
	return has_changed;
}

char *
facts_line_new(
	const struct intake_record *record, const char *node, bool has_changed, size_t *length)
{
	has_changed |= set_missing(record->json, "nodeName", node);
	has_changed |= set_missing(
		record->json, "processingStrategy", event_strategies[EVENT_EXECUTE_REMEDIATION]);

	if (has_changed)
		return rec_dump_new(record->json, length);

	char *line = malloc(record->length + 1);
	if (line == NULL)
		return NULL;
	memcpy(line, record->text, record->length);
	line[record->length] = '\n';
	*length = record->length + 1;
	return line;
}
