/* Unit tests of event's formatter: its output equals jansson's byte for byte and never exceeds a
 * record's limit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "event.h"

#include "check.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

#define ELLIPSIS "\xE2\x80\xA6"

static const char *const codes[] = {"health_poll_failed", NULL, "second \"code\""};
static const struct event_pair entities[] = {
	{"NIC", "mlx5_0"}, {"NICPort", NULL}, {"PCI", "0000:18:00.0"}};
static const struct event_pair metadata[] = {
	{"pci", "0000:18:00.0"}, {"role", NULL}, {"count", "17"}, {"tab\there", "\x7f\x1b"}};

static struct event_stream
stream_new(void)
{
	struct event_stream stream;
	event_stream_init(&stream, "logmatch", "gpu-42", "a1b2", "T1", "STORE_ONLY");
	return stream;
}

static struct event
event_of(const char *message, size_t length)
{
	return (struct event){.agent = "nic-health-monitor",
		.check = "InfiniBandDriverError",
		.message = message,
		.message_length = length,
		.codes = codes,
		.code_count = CHECK_COUNT(codes),
		.entities = entities,
		.entity_count = CHECK_COUNT(entities),
		.metadata = metadata,
		.metadata_count = CHECK_COUNT(metadata),
		.timestamp = "2026-01-02T03:04:05.678901Z"};
}

/* Return a text as a JSON string, made valid; NULL is null. */
static json_t *
json_text(const char *text, size_t length)
{
	char *valid = malloc(3 * length + 1);
	size_t used = utf8_sanitize(text, length, valid, 3 * length + 1);
	json_t *json = json_stringn(valid, used);
	CHECK(json != NULL);
	free(valid);
	return json;
}

/* Format the same event with jansson, as a line to free(). */
static char *
expected_new(const struct event_stream *stream, const struct event *event)
{
	char id[60];
	snprintf(id, sizeof id, "%s-%llu", stream->source, (unsigned long long)stream->seq + 1);
	json_t *code_array = json_array(), *entity_array = json_array(), *object = json_object();
	for (size_t i = 0; i < event->code_count; i++) {
		if (event->codes[i] != NULL)
			json_array_append_new(
				code_array, json_text(event->codes[i], strlen(event->codes[i])));
	}
	for (size_t i = 0; i < event->entity_count; i++) {
		const struct event_pair *pair = &event->entities[i];
		if (pair->value != NULL)
			json_array_append_new(entity_array,
				json_pack("{s:s, s:o}", "entityType", pair->name, "entityValue",
					json_text(pair->value, strlen(pair->value))));
	}
	for (size_t i = 0; i < event->metadata_count; i++) {
		const struct event_pair *pair = &event->metadata[i];
		if (pair->value != NULL)
			json_object_set_new(
				object, pair->name, json_text(pair->value, strlen(pair->value)));
	}
	json_t *record = json_pack(
		"{s:s, s:s, s:i, s:s, s:s, s:s, s:b, s:b, s:o, s:s, s:o, s:o, s:o, s:s, "
		"s:s?, s:s, s:s, s:I}",
		"kind", "event", "id", id, "version", 1, "agent", event->agent, "componentClass",
		"NIC", "checkName", event->check, "isFatal", event->fatal, "isHealthy",
		event->healthy, "message", json_text(event->message, event->message_length),
		"recommendedAction", event->fatal ? "REPLACE_VM" : "NONE", "errorCode", code_array,
		"entitiesImpacted", entity_array, "metadata", object, "generatedTimestamp",
		event->timestamp, "nodeName", stream->has_node ? stream->node : NULL,
		"processingStrategy", event->strategy != NULL ? event->strategy : stream->strategy,
		"source", stream->source, "seq", (json_int_t)stream->seq + 1);
	size_t length;
	char *line = rec_dump_new(record, &length);
	CHECK(line != NULL);
	json_decref(record);
	return line;
}

/* Format into memory of exactly the promised size, so that the sanitizers detect an overflow. */
static char *
format_new(struct event_stream *stream, const struct event *event)
{
	char *line = malloc(REC_EVENT_MAX_BYTES + 1);
	memset(line, 'X', REC_EVENT_MAX_BYTES + 1);
	size_t length = event_format(stream, event, line);
	CHECK(length > 0 && length <= REC_EVENT_MAX_BYTES);
	CHECK_INT((int64_t)strlen(line), (int64_t)length);
	CHECK(length > 0 && line[length - 1] == '\n');
	return line;
}

static void
check_same(const struct event_stream *stream, const struct event *event)
{
	struct event_stream used = *stream;
	char *expected = expected_new(stream, event), *line = format_new(&used, event);
	CHECK_STR(line, expected);
	CHECK_U64(used.seq, stream->seq + 1);
	free(line);
	free(expected);
}

static void
every_byte(void)
{
	struct event_stream stream = stream_new();
	char bytes[256];
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	for (size_t i = 0; i < sizeof bytes; i++) {
		/* At each place among eight plain bytes: the formatter checks eight at a time. */
		for (size_t at = 0; at < 9; at++) {
			char text[] = "abcdefghi";
			text[at] = bytes[i];
			check_row("byte %zu at %zu", i, at);
			struct event event = event_of(text, sizeof text - 1);
			check_same(&stream, &event);
		}
	}
	check_row("all");
	struct event event = event_of(bytes, sizeof bytes);
	check_same(&stream, &event);
	event = event_of("", 0);
	check_same(&stream, &event);
}

/* Fill in another kind of bytes in each round: any bytes; text with a few odd bytes; mostly parts
 * of multi-byte characters. */
static void
fill_randomly(char *text, size_t length, int round)
{
	static const char odd[] = {'"', '\\', '\n', 0, 0x7f, (char)0x80, (char)0xC3, (char)0xA9,
		(char)0xE2, (char)0x82, (char)0xAC, (char)0xF0, (char)0x9F, (char)0x98, (char)0xED,
		(char)0xBF};
	for (size_t i = 0; i < length; i++) {
		if (round % 3 == 0)
			text[i] = (char)random();
		else if (round % 3 == 1 && random() % 16 != 0)
			text[i] = (char)(' ' + random() % 95);
		else
			text[i] = odd[(size_t)random() % sizeof odd];
	}
}

static void
random_texts(void)
{
	struct event_stream stream = stream_new();
	srandom(4711);
	for (int round = 0; round < 9000; round++) {
		/* Even six bytes for each byte fit. */
		char text[400];
		size_t length = (size_t)random() % sizeof text;
		fill_randomly(text, length, round);
		struct event event = event_of(text, length);
		event.fatal = round % 2 == 0;
		event.healthy = round % 5 == 0;
		stream.seq = round % 7 == 0 ? INT64_MAX / 2 : (uint64_t)random();
		check_row("round %d", round);
		check_same(&stream, &event);
	}
}

static void
random_texts_elsewhere(void)
{
	/* Texts other than the message contain any bytes, too. */
	struct event_stream stream = stream_new();
	srandom(4712);
	for (int round = 0; round < 1000; round++) {
		char text[60];
		size_t length = (size_t)random() % sizeof text;
		fill_randomly(text, length, round);
		text[length] = '\0';
		const char *const own_codes[] = {text, "plain"};
		const struct event_pair pairs[] = {{"first", text}, {"second", text}};
		struct event event = event_of("m", 1);
		event.codes = own_codes;
		event.code_count = CHECK_COUNT(own_codes);
		event.entities = event.metadata = pairs;
		event.entity_count = event.metadata_count = CHECK_COUNT(pairs);
		event.strategy = round % 2 == 0 ? NULL : "EXECUTE_REMEDIATION";
		check_row("round %d", round);
		check_same(&stream, &event);
	}
}

static void
empty_lists(void)
{
	struct event_stream stream = stream_new();
	struct event event = event_of("m", 1);
	event_stream_set_node(&stream, NULL);
	event.code_count = event.entity_count = event.metadata_count = 0;
	check_same(&stream, &event);
	/* Missing entries leave no comma, whichever they are. */
	for (unsigned there = 0; there < 8; there++) {
		const char *some_codes[3];
		struct event_pair pairs[3];
		for (unsigned i = 0; i < 3; i++) {
			some_codes[i] = (there >> i & 1) != 0 ? "there" : NULL;
			pairs[i].name = (const char *const[]){"a", "b", "c"}[i];
			pairs[i].value = some_codes[i];
		}
		event.codes = some_codes;
		event.entities = event.metadata = pairs;
		event.code_count = event.entity_count = event.metadata_count = 3;
		check_row("those of %u", there);
		check_same(&stream, &event);
	}
}

/* --- records that are too long --- */

/* Return the message of a line, to release. */
static json_t *
message_new(const char *line)
{
	struct rec_error error;
	json_t *record = rec_parse_new(line, strlen(line), &error);
	CHECK(record != NULL);
	json_t *message = json_incref(json_object_get(record, "message"));
	json_decref(record);
	return message;
}

/* Return the length of a text in a record. */
static size_t
written(const char *text, size_t length)
{
	json_t *json = json_stringn_nocheck(text, length);
	size_t size = json_dumpb(json, NULL, 0, JSON_ENCODE_ANY) - 2;
	json_decref(json);
	return size;
}

static void
cut_everywhere(void)
{
	/* A text of one character repeated, in every length around the limit: whole while it fits,
	 * else as much as fits before the ellipsis. */
	static const char *const characters[] = {
		"m", "\"", "\n", "\x01", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
	const struct event empty = event_of("", 0);
	struct event_stream stream = stream_new(), used = stream;
	char *line = format_new(&used, &empty);
	size_t room = REC_EVENT_MAX_BYTES - strlen(line);
	free(line);

	for (size_t c = 0; c < CHECK_COUNT(characters); c++) {
		size_t width = strlen(characters[c]), cost = written(characters[c], width);
		char text[2 * REC_EVENT_MAX_BYTES];
		for (size_t shift = 0; shift < cost; shift++) {
			memset(text, 'x', shift);
			for (size_t at = shift; at + width <= sizeof text; at += width)
				memcpy(text + at, characters[c], width);
			size_t fits = (room - shift) / cost;
			for (size_t count = fits - 8; count < fits + 8; count++) {
				struct event event = event_of(text, shift + count * width);
				used = stream;
				line = format_new(&used, &event);
				json_t *message = message_new(line);
				const char *got = json_string_value(message);
				size_t kept = json_string_length(message);
				check_row("%zu times character %zu behind %zu", count, c, shift);
				if (count <= fits) {
					CHECK_INT((int64_t)kept, (int64_t)event.message_length);
				} else if (CHECK(kept >= 3)) {
					kept -= 3;
					CHECK_STR(got + kept, ELLIPSIS);
					CHECK_INT((int64_t)((kept - shift) % width), 0);
					/* No more is cut than necessary. */
					CHECK(written(text, kept) + 3 <= room);
					CHECK(written(text, kept) + 3 + cost > room);
				}
				CHECK(memcmp(got, text, kept) == 0);
				json_decref(message);
				free(line);
			}
		}
	}
}

static void
drops_metadata(void)
{
	/* Each entry takes over 1000 bytes, escaped: three fit, with almost no message. */
	char *big = check_repeat_new('\x02', 170);
	const struct event_pair pairs[] = {
		{"a", big}, {"b", big}, {"none", NULL}, {"c", big}, {"d", "small"}, {"e", big}};
	struct event_stream stream = stream_new();
	char message[2000];
	memset(message, 'm', sizeof message);
	struct event event = event_of(message, sizeof message);
	event.code_count = event.entity_count = 0;
	event.metadata = pairs;
	event.metadata_count = CHECK_COUNT(pairs);
	char *line = format_new(&stream, &event);
	CHECK_HAS(line, "{\"a\":\"\\u0002");
	CHECK_HAS(line, ",\"b\":\"\\u0002");
	CHECK_HAS(line, ",\"c\":\"\\u0002");
	CHECK_HAS(line, ",\"d\":\"small\"},");
	CHECK(strstr(line, "\"e\"") == NULL);
	CHECK_HAS(line, "m" ELLIPSIS "\"");
	CHECK_INT((int64_t)strlen(line), REC_EVENT_MAX_BYTES);
	free(line);
	/* A short message is kept whole at the cost of the last metadata. */
	event.message_length = 2;
	line = format_new(&stream, &event);
	CHECK_HAS(line, "\"message\":\"mm\"");
	CHECK(strstr(line, "\"e\"") == NULL);
	free(line);
	free(big);
}

static void
drops_at_every_length(void)
{
	/* The record grows byte by byte past the limit: first the message is cut, down to the
	 * ellipsis, then the metadata. */
	char value[REC_EVENT_MAX_BYTES];
	memset(value, 'v', sizeof value);
	for (size_t length = 3000; length < sizeof value - 1; length++) {
		value[length] = '\0';
		const struct event_pair pairs[] = {{"first", "1"}, {"long", value}};
		struct event event = event_of("0123456789", 10);
		struct event_stream stream = stream_new();
		event.metadata = pairs;
		event.metadata_count = CHECK_COUNT(pairs);
		char *line = format_new(&stream, &event);
		bool is_whole = strstr(line, "\"message\":\"0123456789\"") != NULL;
		bool has_long = strstr(line, "\"long\"") != NULL;
		check_row("%zu bytes", length);
		CHECK(strstr(line, "\"first\":\"1\"") != NULL);
		CHECK(is_whole || strstr(line, ELLIPSIS "\"") != NULL);
		/* Without the entry the message fits. */
		CHECK(is_whole || has_long);
		CHECK(is_whole || strlen(line) == REC_EVENT_MAX_BYTES);
		free(line);
		value[length] = 'v';
	}
}

static void
nastiest(void)
{
	/* Every text as long as allowed, of characters that JSON writes six times as long. */
	char *node = check_repeat_new('\x01', REC_NODE_MAX_BYTES),
	     *name = check_repeat_new('\x1f', 64);
	char *message = check_repeat_new('\x01', 1 << 20);
	const char *const own_codes[] = {name, name};
	const struct event_pair own_entities[] = {{"NIC", name}, {"NICPort", "2147483647"}};
	struct event_pair pairs[30];
	for (size_t i = 0; i < CHECK_COUNT(pairs); i++)
		pairs[i] = (struct event_pair){name, name};
	struct event_stream stream;
	event_stream_init(&stream, "t", node, NULL, "T", "EXECUTE_REMEDIATION");
	stream.seq = UINT64_MAX - 1;
	struct event event = event_of(message, 1 << 20);
	event.codes = own_codes;
	event.code_count = CHECK_COUNT(own_codes);
	event.entities = own_entities;
	event.entity_count = CHECK_COUNT(own_entities);
	event.metadata = pairs;
	event.metadata_count = CHECK_COUNT(pairs);
	char *line = format_new(&stream, &event);
	CHECK_HAS(line, ELLIPSIS "\",\"recommendedAction\"");
	free(line);
	free(node);
	free(name);
	free(message);
}

static void
impossible(void)
{
	/* Texts that cannot be cut, one byte below the limit and then above it, before the message
	 * and behind it. */
	struct event_stream stream = stream_new();
	char text[REC_EVENT_MAX_BYTES + 1], line[REC_EVENT_MAX_BYTES + 1];
	memset(text, 't', sizeof text);
	for (int place = 0; place < 2; place++) {
		size_t made = 0;
		for (size_t length = 3000; length < sizeof text; length++) {
			struct event event = event_of("", 0);
			const struct event_pair entity = {"NIC", text};
			text[length] = '\0';
			event.metadata_count = 0;
			event.entity_count = 0;
			if (place == 0) {
				event.check = text;
			} else {
				event.entities = &entity;
				event.entity_count = 1;
			}
			struct event_stream used = stream;
			size_t got = event_format(&used, &event, line);
			CHECK(got > 0 ? made == length - 3000 : true);
			CHECK_U64(used.seq, stream.seq + (got > 0));
			CHECK(got <= REC_EVENT_MAX_BYTES);
			made += got > 0;
			text[length] = 't';
		}
		check_row("place %d", place);
		CHECK(made > 100 && made < 1096);
	}
}

static const struct check_test tests[] = {
	{"every byte is written as jansson does, at every position", every_byte},
	{"thousands of random messages are written as jansson does", random_texts},
	{"random codes, entities and metadata are written as jansson does", random_texts_elsewhere},
	{"empty lists and lists with missing entries are written as jansson does", empty_lists},
	{"a message is cut between UTF-8 characters, only if necessary and as little as possible",
		cut_everywhere},
	{"metadata are left out from the end once the message cannot be cut further",
		drops_metadata},
	{"at every length past the limit the message is cut before the metadata",
		drops_at_every_length},
	{"texts of the longest escapes make a record of at most 4096 bytes", nastiest},
	{"an event that cannot fit gives no record and uses no number", impossible},
};
CHECK_MAIN(tests)
