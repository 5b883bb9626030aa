/* event - event records. */
#include "event.h"

#include "hash.h"
#include "num.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ELLIPSIS "\xE2\x80\xA6"    /* U+2026 */
#define REPLACEMENT "\xEF\xBF\xBD" /* U+FFFD */

const char *const event_strategies[EVENT_STRATEGY_N] = {
	[EVENT_EXECUTE_REMEDIATION] = "EXECUTE_REMEDIATION",
	[EVENT_STORE_ONLY] = "STORE_ONLY",
	[EVENT_STORE_AND_ANALYSE] = "STORE_AND_ANALYSE",
};

const char *
event_strategy_take(const char **out, const char *word)
{
	for (size_t i = 0; i < EVENT_STRATEGY_N; i++) {
		if (strcmp(word, event_strategies[i]) == 0) {
			*out = event_strategies[i];
			return NULL;
		}
	}
	return "not one of EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE";
}

/* --- streams --- */

/* The NUL is hashed too, so that two texts side by side do not run into each other. */
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
	snprintf(stream->node, sizeof stream->node, "%s", node != NULL ? node : "");
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
	char id[48];
	snprintf(id, sizeof id, "%s-%" PRIu64, stream->source, stream->seq + 1);
	if (json_object_set_new(record, "id", json_string(id)) < 0 ||
		json_object_set_new(record, "source", json_string(stream->source)) < 0 ||
		json_object_set_new(record, "seq", json_integer((json_int_t)stream->seq + 1)) < 0)
		return -1;
	stream->seq++;
	return 0;
}

/* --- texts as JSON --- */

/* A text being written; what does not fit is not written at all. */
struct text {
	char *at;
	const char *end;
	bool full; /* something did not fit */
};

static inline void
put(struct text *text, const char *bytes, size_t length)
{
	if (length > (size_t)(text->end - text->at)) {
		text->full = true;
		return;
	}
	memcpy(text->at, bytes, length);
	text->at += length;
}

/* For literals, whose length the compiler knows. */
#define PUT(text, literal) put(text, literal, sizeof(literal) - 1)

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* True when none of eight bytes is a control character, a quote, a backslash or part of a longer character. A subtraction reaches a byte's highest
 * bit, or borrows from the next byte, only where a byte is one of these, so that the answer for all eight is exact. */
static inline bool
are_plain(const char *bytes)
{
	uint64_t word;
	memcpy(&word, bytes, sizeof word);
	uint64_t control = word - 0x20 * EACH_BYTE;
	uint64_t quote = (word ^ '"' * EACH_BYTE) - EACH_BYTE;
	uint64_t backslash = (word ^ '\\' * EACH_BYTE) - EACH_BYTE;
	return ((word | control | quote | backslash) & 0x80 * EACH_BYTE) == 0;
}

static inline bool
is_plain(char byte)
{
	return (unsigned char)byte >= 0x20 && (unsigned char)byte < 0x80 && byte != '"' &&
	       byte != '\\';
}

/* How many bytes at the beginning are written as they are. */
static size_t
plain_length(const char *bytes, size_t length)
{
	size_t at = 0;
	while (length - at >= 8 && are_plain(bytes + at))
		at += 8;
	/* The last few together with some that are known to be plain. */
	if (at > 0 && length - at < 8 && are_plain(bytes + length - 8))
		return length;
	while (at < length && is_plain(bytes[at]))
		at++;
	return at;
}

/* The character at `bytes`, which has at least one, as it is in JSON, as jansson writes it; returns how many bytes it takes up. */
static size_t
put_character(struct text *text, const char *bytes, size_t length)
{
	static const char digits[] = "0123456789ABCDEF";
	static const char letters[0x20] = {
		['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
	unsigned char c = (unsigned char)*bytes;
	size_t width = c == '\0' ? 0 : utf8_char(bytes, length);

	if (width == 0)
		PUT(text, REPLACEMENT);
	else if (c == '"' || c == '\\')
		put(text, (const char[]){'\\', *bytes}, 2);
	else if (c >= 0x20)
		put(text, bytes, width);
	else if (letters[c] != '\0')
		put(text, (const char[]){'\\', letters[c]}, 2);
	else
		put(text, (const char[]){'\\', 'u', '0', '0', digits[c >> 4], digits[c & 0xf]}, 6);
	return width > 0 ? width : 1;
}

/* Writes whole characters while there is room; returns how many bytes they take up. */
static size_t
put_escaped(struct text *text, const char *bytes, size_t length)
{
	size_t done = 0;
	while (done < length && !text->full) {
		size_t room = (size_t)(text->end - text->at), left = length - done;
		size_t plain = plain_length(bytes + done, left < room ? left : room);
		put(text, bytes + done, plain);
		done += plain;
		if (done == length)
			break;
		size_t width = put_character(text, bytes + done, length - done);
		if (!text->full)
			done += width;
	}
	return done;
}

static void
put_string(struct text *text, const char *string)
{
	PUT(text, "\"");
	put_escaped(text, string, strlen(string));
	PUT(text, "\"");
}

/* Writes a message into what room there is, cut if need be. False, and nothing is written, when there is not even room for saying so. */
static bool
put_message(struct text *text, const char *message, size_t length)
{
	const size_t ellipsis = strlen(ELLIPSIS);
	size_t room = (size_t)(text->end - text->at);
	struct text cut = {.at = text->at, .end = text->end - (room < ellipsis ? room : ellipsis)};
	size_t done = put_escaped(&cut, message, length);
	struct text rest = {.at = cut.at, .end = text->end};

	if (done + put_escaped(&rest, message + done, length - done) == length) {
		text->at = rest.at;
		return true;
	}
	if (room < ellipsis)
		return false;
	text->at = cut.at;
	PUT(text, ELLIPSIS);
	return true;
}

/* --- records --- */

/* The record up to its message. `number` is its seq. */
static void
put_head(struct text *text, const struct event_stream *stream, const struct event *event,
	const char *number)
{
	PUT(text, "{\"kind\":\"event\",\"id\":\"");
	put_escaped(text, stream->source, strlen(stream->source));
	PUT(text, "-");
	put(text, number, strlen(number));
	PUT(text, "\",\"version\":1,\"agent\":");
	put_string(text, event->agent);
	PUT(text, ",\"componentClass\":\"NIC\",\"checkName\":");
	put_string(text, event->check);
	if (event->fatal)
		PUT(text, ",\"isFatal\":true");
	else
		PUT(text, ",\"isFatal\":false");
	if (event->healthy)
		PUT(text, ",\"isHealthy\":true");
	else
		PUT(text, ",\"isHealthy\":false");
	PUT(text, ",\"message\":\"");
}

static void
put_codes(struct text *text, const struct event *event)
{
	bool any = false;
	for (size_t i = 0; i < event->code_count; i++) {
		if (event->codes[i] == NULL)
			continue;
		if (any)
			PUT(text, ",");
		put_string(text, event->codes[i]);
		any = true;
	}
}

static void
put_entities(struct text *text, const struct event *event)
{
	bool any = false;
	for (size_t i = 0; i < event->entity_count; i++) {
		if (event->entities[i].value == NULL)
			continue;
		if (any)
			PUT(text, ",");
		PUT(text, "{\"entityType\":");
		put_string(text, event->entities[i].name);
		PUT(text, ",\"entityValue\":");
		put_string(text, event->entities[i].value);
		PUT(text, "}");
		any = true;
	}
}

static void
put_metadata(struct text *text, const struct event *event, size_t count)
{
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		if (event->metadata[i].value == NULL)
			continue;
		if (any)
			PUT(text, ",");
		put_string(text, event->metadata[i].name);
		PUT(text, ":");
		put_string(text, event->metadata[i].value);
		any = true;
	}
}

/* The record behind its message, with the first `metadata_count` of its metadata. */
static void
put_tail(struct text *text, const struct event_stream *stream, const struct event *event,
	const char *number, size_t metadata_count)
{
	if (event->fatal)
		PUT(text, "\",\"recommendedAction\":\"REPLACE_VM\",\"errorCode\":[");
	else
		PUT(text, "\",\"recommendedAction\":\"NONE\",\"errorCode\":[");
	put_codes(text, event);
	PUT(text, "],\"entitiesImpacted\":[");
	put_entities(text, event);
	PUT(text, "],\"metadata\":{");
	put_metadata(text, event, metadata_count);
	PUT(text, "},\"generatedTimestamp\":");
	put_string(text, event->timestamp);
	PUT(text, ",\"nodeName\":");
	if (stream->has_node)
		put_string(text, stream->node);
	else
		PUT(text, "null");
	PUT(text, ",\"processingStrategy\":");
	put_string(text, event->strategy != NULL ? event->strategy : stream->strategy);
	PUT(text, ",\"source\":");
	put_string(text, stream->source);
	PUT(text, ",\"seq\":");
	put(text, number, strlen(number));
	PUT(text, "}\n");
}

size_t
event_format(
	struct event_stream *stream, const struct event *event, char out[REC_EVENT_MAX_BYTES + 1])
{
	char number[NUM_U64_SIZE], tail_bytes[REC_EVENT_MAX_BYTES];
	struct text head = {.at = out, .end = out + REC_EVENT_MAX_BYTES};

	num_format_u64(stream->seq + 1, number);
	put_head(&head, stream, event, number);
	/* What is behind the message is written first: it says how much room the message has. */
	for (size_t metadata_count = event->metadata_count;; metadata_count--) {
		struct text tail = {.at = tail_bytes, .end = tail_bytes + sizeof tail_bytes};
		put_tail(&tail, stream, event, number, metadata_count);
		size_t tail_length = (size_t)(tail.at - tail_bytes);
		size_t room = (size_t)(head.end - head.at);
		struct text body = {.at = head.at, .end = head.end - tail_length};
		if (!head.full && !tail.full && tail_length <= room &&
			put_message(&body, event->message, event->message_length)) {
			memcpy(body.at, tail_bytes, tail_length);
			body.at[tail_length] = '\0';
			stream->seq++;
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
	size_t length = event_format(stream, event, line);
	json_t *record = length > 0 ? rec_parse_new(line, length, &error) : NULL;
	if (length > 0 && record == NULL)
		stream->seq--;
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
