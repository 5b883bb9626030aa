/* journaljson - parses JSON objects: entries of journalctl -o json, json-seq and json-sse, and
 * records of the other tools. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journaljson.h"

#include "array.h"
#include "cursor.h"
#include "rec.h"

/* A text under construction in the scratch buffer, which has room for the whole JSON line. No part
 * of the text is longer than its JSON. */
struct message {
	char *bytes;
	size_t length;
};

/* Skip what -o json-seq and -o json-sse put before each object. */
static void
skip_frame(struct cursor *line)
{
	if (!cursor_skip_char(line, '\x1E'))
		cursor_skip_text(line, "data: ");
}

bool
journaljson_is_object(const char *line, size_t length)
{
	struct cursor at = {line, line + length};
	skip_frame(&at);
	if (!cursor_skip_char(&at, '{'))
		return false;
	while (cursor_is(&at, ' ') || cursor_is(&at, '\t'))
		at.at++;
	return cursor_at_end(&at) || *at.at == '"' || *at.at == '}';
}

/* journalctl writes bytes that are not valid text as an array of numbers. */
static const char *
append_bytes(const json_t *array, struct message *message)
{
	size_t i;
	const json_t *item;
	json_array_foreach (array, i, item) {
		json_int_t value = json_integer_value(item);
		if (!json_is_integer(item) || value < 0 || value > UINT8_MAX)
			return "MESSAGE is an array with other elements than bytes";
		message->bytes[message->length++] = (char)value;
	}
	return NULL;
}

static const char *
append_value(const json_t *value, struct message *message)
{
	if (json_is_null(value))
		return "MESSAGE is null: journalctl omitted it, use --all";
	if (json_is_array(value))
		return append_bytes(value, message);
	if (!json_is_string(value))
		return "MESSAGE is neither text nor bytes";
	memcpy(message->bytes + message->length, json_string_value(value),
		json_string_length(value));
	message->length += json_string_length(value);
	return NULL;
}

/* Append the values with a newline between them. Return a reason if the message cannot be read, or
 * NULL. Patterns do not match past such a newline. */
static const char *
append_values(const json_t *value, struct message *message)
{
	size_t i;
	const json_t *item;
	const char *reason = NULL;

	if (!json_is_array(value) || json_is_integer(json_array_get(value, 0)))
		return append_value(value, message);
	json_array_foreach (value, i, item) {
		if (i > 0)
			message->bytes[message->length++] = '\n';
		reason = append_value(item, message);
		if (reason != NULL)
			break;
	}
	return reason;
}

/* journald records a process or unit for every entry but those of the kernel and its own. */
static bool
has_process(const json_t *entry)
{
	static const char *const fields[] = {"_PID", "_COMM", "_EXE", "_SYSTEMD_UNIT"};
	for (size_t i = 0; i < ARRAY_COUNT(fields); i++) {
		const json_t *field = json_object_get(entry, fields[i]);
		/* jq writes null for an absent field. */
		if (field != NULL && !json_is_null(field))
			return true;
	}
	return false;
}

/* A field that is null, as jq writes it, counts as absent. */
enum answer { ABSENT, NO, YES };

static enum answer
field_is(const json_t *entry, const char *name, const char *expected)
{
	const json_t *field = json_object_get(entry, name);
	if (field == NULL || json_is_null(field))
		return ABSENT;
	return json_is_string(field) && strcmp(json_string_value(field), expected) == 0 ? YES : NO;
}

/* Only journald can set fields that begin with an underscore. Lines that programs write to
 * /dev/kmsg have the kernel transport too, but never the kernel's facility or identifier
 * (dev_kmsg_record(), src/journal/journald-kmsg.c). If an entry was reduced to fewer fields, there
 * is only its text. Return false if another program wrote the entry. */
static bool
is_kernel(const json_t *entry, enum logline_evidence *evidence)
{
	enum answer transport = field_is(entry, "_TRANSPORT", "kernel");
	enum answer facility = field_is(entry, "SYSLOG_FACILITY", "0");
	enum answer name = field_is(entry, "SYSLOG_IDENTIFIER", "kernel");

	if (transport == NO || facility == NO || name == NO ||
		(transport == ABSENT && has_process(entry)))
		return false;
	*evidence = transport == YES && (facility == YES || name == YES) ? LOGLINE_JOURNALED
									 : LOGLINE_TEXT;
	return true;
}

static void
set_time(const json_t *entry, struct logline *out)
{
	uint64_t micros;
	if (rec_get_u64(entry, "__REALTIME_TIMESTAMP", &micros) != REC_OK &&
		rec_get_u64(entry, "_SOURCE_REALTIME_TIMESTAMP", &micros) != REC_OK)
		return;
	if (micros > UINT64_MAX / 1000)
		return;
	out->clock = LOGLINE_REALTIME;
	out->time_ns = micros * 1000;
}

/* Copy a field's value into the rest of the scratch buffer, which has room for every field of the
 * line. */
static struct logline_span
copy_field(const json_t *entry, const char *name, struct message *message)
{
	const json_t *value = json_object_get(entry, name);
	struct logline_span span = {message->bytes + message->length, json_string_length(value)};
	if (!json_is_string(value))
		return (struct logline_span){0};
	memcpy(message->bytes + message->length, json_string_value(value), span.length);
	message->length += span.length;
	return span;
}

static int
read_message(const json_t *entry, const json_t *value, size_t line_length, struct strbuf *scratch,
	struct logline *out)
{
	struct message message = {.bytes = strbuf_reserve(scratch, line_length)};
	if (message.bytes == NULL)
		return -1;
	out->reason = append_values(value, &message);
	if (out->reason != NULL)
		return 0;
	out->kind = LOGLINE_MESSAGE;
	out->text = message.bytes;
	out->length = message.length;
	out->subsystem = copy_field(entry, "_KERNEL_SUBSYSTEM", &message);
	out->device = copy_field(entry, "_KERNEL_DEVICE", &message);
	set_time(entry, out);
	return 0;
}

/* Classify an object without MESSAGE: a record of another tool, or an entry of the journal, which
 * need not have one. */
static void
classify_without_message(const json_t *object, const char *line, size_t length, struct logline *out)
{
	if (json_is_string(json_object_get(object, "kind"))) {
		out->kind = LOGLINE_RECORD;
		out->text = line;
		out->length = length;
	} else if (json_object_get(object, "__REALTIME_TIMESTAMP") != NULL ||
		   json_object_get(object, "__CURSOR") != NULL) {
		out->kind = LOGLINE_OTHER;
	} else {
		out->reason = "a JSON object with neither MESSAGE nor kind";
	}
}

/* Allow NUL in strings. If a number exceeds 64 bits, parse integers as reals: no field read here is
 * one, or it is malformed then. */
static json_t *
load_new(const char *line, size_t length, json_error_t *error)
{
	json_t *object = json_loadb(line, length, JSON_ALLOW_NUL, error);
	if (object == NULL && json_error_code(error) == json_error_numeric_overflow)
		object = json_loadb(line, length, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, error);
	return object;
}

int
journaljson_parse(const char *line, size_t length, struct strbuf *scratch, struct logline *out)
{
	json_error_t error;
	int status = 0;
	struct cursor framed = {line, line + length};

	skip_frame(&framed);
	line = framed.at;
	length = (size_t)(framed.end - framed.at);
	*out = (struct logline){.kind = LOGLINE_BAD};
	json_t *object = load_new(line, length, &error);
	if (object == NULL) {
		out->reason = "not a JSON object";
		return json_error_code(&error) == json_error_out_of_memory ? -1 : 0;
	}
	const json_t *message = json_object_get(object, "MESSAGE");
	if (message == NULL)
		classify_without_message(object, line, length, out);
	else if (is_kernel(object, &out->evidence))
		status = read_message(object, message, length, scratch, out);
	else
		out->kind = LOGLINE_OTHER;
	json_decref(object);
	return status;
}
