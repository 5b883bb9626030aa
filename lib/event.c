/* event - formats and numbers event records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "clock.h"
#include "hash.h"
#include "jsontext.h"
#include "num.h"
#include "text.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Report the time of observation if generatedTimestamp differs by this much, microseconds. */
#define OBSERVED_FROM_US UINT64_C(1000000)

const char *const event_strategies[EVENT_STRATEGY_N] = {
	[EVENT_EXECUTE_REMEDIATION] = "EXECUTE_REMEDIATION",
	[EVENT_STORE_ONLY] = "STORE_ONLY",
	[EVENT_STORE_AND_ANALYSE] = "STORE_AND_ANALYSE",
};

const char *
event_strategy_parse(const char **out, const char *word)
{
	static struct words words;
	size_t index;
	const char *reason =
		words_parse(&words, "strategy", event_strategies, EVENT_STRATEGY_N, word, &index);
	if (reason == NULL)
		*out = event_strategies[index];
	return reason;
}

const char *
event_strategy_accept(void *target, const struct opt_given *given)
{
	return event_strategy_parse(
		(const char **)((char *)target + given->spec->offset), given->value);
}

/* --- streams --- */

/* Hash the NUL too, so that adjacent texts do not run together. */
static uint64_t
add_text(uint64_t hash, const char *text)
{
	return text != NULL ? hash_bytes(hash, text, strlen(text) + 1) : hash_bytes(hash, "\1", 2);
}

void
event_stream_init(struct event_stream *stream, const char *tool, const char *node,
	const char *boot_id, const char *first_ts, const char *strategy)
{
	uint64_t hash = add_text(HASH_START, tool);
	hash = add_text(hash, node);
	hash = add_text(hash, boot_id);
	hash = add_text(hash, first_ts);

	*stream = (struct event_stream){.strategy = strategy};
	event_stream_set_node(stream, node);
	snprintf(stream->source, sizeof stream->source, "%016" PRIx64, hash);
}

void
event_stream_set_node(struct event_stream *stream, const char *node)
{
	stream->has_node = node != NULL;
	snprintf(stream->node, sizeof stream->node, "%s", text_or_empty(node));
}

void
event_stream_fork(struct event_stream *stream, const char *ts)
{
	uint64_t hash = add_text(add_text(HASH_START, stream->source), ts);
	snprintf(stream->source, sizeof stream->source, "%016" PRIx64, hash);
	stream->seq = 0;
}

int
event_restamp(struct event_stream *stream, json_t *record)
{
	char id[EVENT_ID_SIZE];
	snprintf(id, sizeof id, "%s-%" PRIu64, stream->source, stream->seq + 1);
	if (json_object_set_new(record, "id", json_string(id)) < 0 ||
		json_object_set_new(record, "source", json_string(stream->source)) < 0 ||
		json_object_set_new(record, "seq", json_integer((json_int_t)stream->seq + 1)) < 0)
		return -1;
	stream->seq++;
	return 0;
}

/* --- records --- */

/* Write the record up to its message. `number` is its seq. */
static void
put_head(struct jsontext *text, const struct event_stream *stream, const struct event *event,
	const char *number)
{
	JSONTEXT_PUT(text, "{\"kind\":\"event\",\"id\":\"");
	jsontext_put_escaped(text, stream->source, strlen(stream->source));
	JSONTEXT_PUT(text, "-");
	jsontext_put(text, number, strlen(number));
	JSONTEXT_PUT(text, "\",\"version\":1,\"agent\":");
	jsontext_put_string(text, event->agent);
	JSONTEXT_PUT(text, ",\"componentClass\":\"NIC\",\"checkName\":");
	jsontext_put_string(text, event->check);
	if (event->fatal)
		JSONTEXT_PUT(text, ",\"isFatal\":true");
	else
		JSONTEXT_PUT(text, ",\"isFatal\":false");
	if (event->healthy)
		JSONTEXT_PUT(text, ",\"isHealthy\":true");
	else
		JSONTEXT_PUT(text, ",\"isHealthy\":false");
	JSONTEXT_PUT(text, ",\"message\":\"");
}

static void
put_codes(struct jsontext *text, const struct event *event)
{
	bool any = false;
	for (size_t i = 0; i < event->code_count; i++) {
		if (event->codes[i] == NULL)
			continue;
		if (any)
			JSONTEXT_PUT(text, ",");
		jsontext_put_string(text, event->codes[i]);
		any = true;
	}
}

static void
put_entities(struct jsontext *text, const struct event *event)
{
	bool any = false;
	for (size_t i = 0; i < event->entity_count; i++) {
		if (event->entities[i].value == NULL)
			continue;
		if (any)
			JSONTEXT_PUT(text, ",");
		JSONTEXT_PUT(text, "{\"entityType\":");
		jsontext_put_string(text, event->entities[i].name);
		JSONTEXT_PUT(text, ",\"entityValue\":");
		jsontext_put_string(text, event->entities[i].value);
		JSONTEXT_PUT(text, "}");
		any = true;
	}
}

/* The timestamps of an event. */
struct event_time {
	uint64_t us;          /* since 1970; 0: no valid time */
	const char *stamp;    /* `text`, or the caller's timestamp */
	const char *observed; /* the caller's, if reported; else NULL */
	char text[CLOCK_STAMP_SIZE];
};

/* Receivers sort events by time, so the timestamps of a stream must strictly increase, even if the
 * clock steps back, and although all events of a scan are observed at the same moment. */
static void
place_event(const struct event_stream *stream, const struct event *event, struct event_time *time)
{
	uint64_t ns = 0;
	bool known = clock_parse(event->timestamp, &ns);

	*time = (struct event_time){.us = ns / 1000, .stamp = event->timestamp};
	if (stream->last_us == 0 || (known && time->us > stream->last_us))
		return;
	if (!known || stream->last_us - time->us >= OBSERVED_FROM_US)
		time->observed = event->timestamp;
	time->us = stream->last_us + (stream->last_us < EVENT_LAST_US_MAX);
	clock_format(time->us * 1000, time->text);
	time->stamp = time->text;
}

/* The time of observation follows the event's own metadata. */
static struct event_pair
metadata_at(const struct event *event, const struct event_time *time, size_t index)
{
	if (index < event->metadata_count)
		return event->metadata[index];
	return (struct event_pair){"observed", time->observed};
}

static void
put_metadata(struct jsontext *text, const struct event *event, const struct event_time *time,
	size_t count)
{
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		struct event_pair pair = metadata_at(event, time, i);
		if (pair.value == NULL)
			continue;
		if (any)
			JSONTEXT_PUT(text, ",");
		jsontext_put_string(text, pair.name);
		JSONTEXT_PUT(text, ":");
		jsontext_put_string(text, pair.value);
		any = true;
	}
}

/* Write the record after its message, with the first `metadata_count` entries of metadata. */
static void
put_tail(struct jsontext *text, const struct event_stream *stream, const struct event *event,
	const struct event_time *time, const char *number, size_t metadata_count)
{
	const char *by_severity = event->fatal ? "REPLACE_VM" : "NONE";
	JSONTEXT_PUT(text, "\",\"recommendedAction\":");
	jsontext_put_string(text, event->action != NULL ? event->action : by_severity);
	JSONTEXT_PUT(text, ",\"errorCode\":[");
	put_codes(text, event);
	JSONTEXT_PUT(text, "],\"entitiesImpacted\":[");
	put_entities(text, event);
	JSONTEXT_PUT(text, "],\"metadata\":{");
	put_metadata(text, event, time, metadata_count);
	JSONTEXT_PUT(text, "},\"generatedTimestamp\":");
	jsontext_put_string(text, time->stamp);
	JSONTEXT_PUT(text, ",\"nodeName\":");
	if (stream->has_node)
		jsontext_put_string(text, stream->node);
	else
		JSONTEXT_PUT(text, "null");
	JSONTEXT_PUT(text, ",\"processingStrategy\":");
	jsontext_put_string(text, event->strategy != NULL ? event->strategy : stream->strategy);
	JSONTEXT_PUT(text, ",\"source\":");
	jsontext_put_string(text, stream->source);
	JSONTEXT_PUT(text, ",\"seq\":");
	jsontext_put(text, number, strlen(number));
	JSONTEXT_PUT(text, "}\n");
}

size_t
event_format(
	struct event_stream *stream, const struct event *event, char out[REC_EVENT_MAX_BYTES + 1])
{
	char number[NUM_U64_SIZE], tail_bytes[REC_EVENT_MAX_BYTES];
	struct jsontext head = {.at = out, .end = out + REC_EVENT_MAX_BYTES};
	struct event_time time;

	place_event(stream, event, &time);
	num_format_u64(stream->seq + 1, number);
	put_head(&head, stream, event, number);
	/* Format the tail first: its length decides the room for the message. */
	for (size_t metadata_count = event->metadata_count + 1;; metadata_count--) {
		struct jsontext tail = {.at = tail_bytes, .end = tail_bytes + sizeof tail_bytes};
		put_tail(&tail, stream, event, &time, number, metadata_count);
		size_t tail_length = (size_t)(tail.at - tail_bytes);
		size_t room = (size_t)(head.end - head.at);
		struct jsontext body = {.at = head.at, .end = head.end - tail_length};
		if (!head.full && !tail.full && tail_length <= room &&
			jsontext_put_cut(&body, event->message, event->message_length)) {
			memcpy(body.at, tail_bytes, tail_length);
			body.at[tail_length] = '\0';
			stream->seq++;
			stream->last_us = time.us > stream->last_us ? time.us : stream->last_us;
			return (size_t)(body.at - out) + tail_length;
		}
		if (metadata_count == 0)
			return 0;
	}
}

json_t *
event_new(struct event_stream *stream, const struct event *event)
{
	char line[REC_EVENT_MAX_BYTES + 1];
	struct rec_error error;
	const struct event_stream before = *stream;
	size_t length = event_format(stream, event, line);
	json_t *record = length > 0 ? rec_parse_new(line, length, &error) : NULL;
	if (record == NULL)
		*stream = before;
	return record;
}

const char *
event_entity(const json_t *record, const char *type)
{
	size_t i;
	json_t *entity;
	json_array_foreach (json_object_get(record, "entitiesImpacted"), i, entity) {
		const char *name = NULL, *value = NULL;
		rec_get_string(entity, "entityType", &name);
		rec_get_string(entity, "entityValue", &value);
		if (name != NULL && strcmp(name, type) == 0)
			return value;
	}
	return NULL;
}

const char *
event_code(const json_t *record)
{
	return json_string_value(json_array_get(json_object_get(record, "errorCode"), 0));
}
