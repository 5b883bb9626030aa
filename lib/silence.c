/* silence - decodes silences and clears, and finds those in force for an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silence.h"

#include "array.h"
#include "clock.h"
#include "num.h"
#include "words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- one silence --- */

struct fields {
	const char *id, *device, *code, *until, *why, *by;
	int64_t port;
};

#define FIELD(its_type, member, bytes, ...) \
	{ \
#member, its_type, .target = offsetof(struct fields, member), \
				   .max_bytes = (bytes), __VA_ARGS__ \
	}

static const struct rec_field fields[] = {
	FIELD(REC_STRING, id, EVENT_SOURCE_SIZE - 1, .required = true, .filled = true),
	FIELD(REC_STRING, device, SILENCE_NAME_BYTES, .required = true, .filled = true),
	FIELD(REC_INTEGER, port, 0),
	FIELD(REC_STRING, code, SILENCE_NAME_BYTES, .filled = true),
	FIELD(REC_STRING, until, CLOCK_STAMP_SIZE, .required = true),
	FIELD(REC_STRING, why, SILENCE_WHY_BYTES, .required = true, .filled = true),
	FIELD(REC_STRING, by, SILENCE_NAME_BYTES, .required = true, .filled = true),
};

static bool
is_id(const char *text)
{
	return strlen(text) == EVENT_SOURCE_SIZE - 1 &&
	       strspn(text, "0123456789abcdef") == EVENT_SOURCE_SIZE - 1;
}

static bool
has_control(const char *text)
{
	for (; text != NULL && *text != '\0'; text++) {
		if (iscntrl((unsigned char)*text))
			return true;
	}
	return false;
}

/* Check the fields and copy them to `*out`. Return NULL, or why they are invalid. */
static const char *
copy_fields(const struct fields *given, struct silence *out)
{
	if (!is_id(given->id))
		return "id is not 16 hexadecimal digits";
	if (given->port < 0)
		return "port is below 0";
	if (!clock_parse(given->until, &out->until_ns))
		return "until is not a time as in RFC 3339";
	if (has_control(given->device) || has_control(given->code) || has_control(given->why) ||
		has_control(given->by))
		return "a control character in a text";
	out->id = given->id;
	out->device = given->device;
	out->port = (uint64_t)given->port;
	out->code = given->code;
	out->why = given->why;
	out->by = given->by;
	return NULL;
}

bool
silence_decode(const json_t *record, struct silence *out, struct rec_error *error)
{
	struct fields given;
	const char *kind = rec_kind(record);
	*out = (struct silence){.clears = strcmp(kind, SILENCE_CLEAR_KIND) == 0};
	if (!out->clears && strcmp(kind, SILENCE_KIND) != 0)
		return rec_refuse(error, "neither a " SILENCE_KIND " nor a " SILENCE_CLEAR_KIND) ==
		       0;
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), &given, error))
		return false;
	const char *reason = copy_fields(&given, out);
	return reason == NULL || rec_refuse(error, "%s", reason) == 0;
}

bool
silence_parse(const char *line, size_t length, struct silence *out, struct rec_error *error)
{
	json_t *record = rec_parse_new(line, length, error);
	bool is_good = record != NULL && silence_decode(record, out, error);
	if (!is_good) {
		json_decref(record);
		*out = (struct silence){.record = NULL};
		return false;
	}
	out->record = record;
	return true;
}

void
silence_fini(struct silence *silence)
{
	json_decref(silence->record);
	*silence = (struct silence){.record = NULL};
}

/* --- a file --- */

static bool
has_id(const struct silences *silences, const char *id)
{
	for (size_t i = 0; i < silences->count; i++) {
		if (strcmp(silences->items[i].id, id) == 0)
			return true;
	}
	return false;
}

/* Return NULL, or why the line is rejected, valid until the next call. */
static const char *
add_line(struct silences *out, const char *line, size_t length, struct rec_error *error)
{
	struct silence silence;
	const char *reason = NULL;
	if (!silence_parse(line, length, &silence, error))
		return error->reason;
	struct silence *items = array_grown(out->items, out->count, &out->capacity, sizeof *items);
	if (items == NULL) {
		rec_lack_memory(error);
		reason = error->reason;
	} else {
		out->items = items;
		if (out->count >= SILENCE_MAX)
			reason = "too many silences";
		else if (has_id(out, silence.id))
			reason = "another silence has the same id";
	}
	if (reason == NULL)
		items[out->count++] = silence;
	else
		silence_fini(&silence);
	return reason;
}

int
silences_read(struct silences *out, const char *text, size_t length,
	void (*refuse)(void *context, size_t line, const char *reason), void *context)
{
	const char *end = text + length;
	*out = (struct silences){.count = 0};
	for (size_t number = 1; text < end; number++) {
		struct rec_error error = {.no_memory = false};
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline != NULL ? newline : end;
		const char *reason =
			stop > text ? add_line(out, text, (size_t)(stop - text), &error) : NULL;
		if (error.no_memory) {
			silences_fini(out);
			return -1;
		}
		if (reason != NULL)
			refuse(context, number, reason);
		text = stop + 1;
	}
	return 0;
}

void
silences_fini(struct silences *silences)
{
	for (size_t i = 0; i < silences->count; i++)
		silence_fini(&silences->items[i]);
	free(silences->items);
	*silences = (struct silences){.count = 0};
}

/* --- queries --- */

static bool
holds(const struct silence *silence, uint64_t now_ns)
{
	return !silence->clears && now_ns < silence->until_ns;
}

/* One name of a list. */
struct name {
	const char *text;
	size_t length;
};

/* Remove the first name from a list. Return false at its end. */
static bool
next_name(const char **list, struct name *out)
{
	if (**list == '\0')
		return false;
	*out = (struct name){*list, strcspn(*list, ",")};
	*list += out->length + ((*list)[out->length] == ',');
	return true;
}

static bool
is_name(const struct name *name, const char *text)
{
	return words_equal(text, name->text, name->length);
}

static bool
has_name(const char *list, const char *text)
{
	struct name name;
	while (next_name(&list, &name)) {
		if (is_name(&name, text))
			return true;
	}
	return false;
}

static bool
covers_port(const struct silence *silence, const char *port)
{
	uint64_t number;
	return silence->port == 0 ||
	       (num_parse_u64(port, UINT64_MAX, &number) == NUM_OK && number == silence->port);
}

static bool
covers_code(const struct silence *silence, const char *code)
{
	return silence->code == NULL || strcmp(silence->code, code) == 0;
}

static const struct silence *
find_for_card(
	const struct silences *silences, const struct silence_subject *subject, uint64_t now_ns)
{
	for (size_t i = 0; i < silences->count; i++) {
		const struct silence *silence = &silences->items[i];
		if (holds(silence, now_ns) && covers_code(silence, subject->code) &&
			has_name(subject->devices, silence->device))
			return silence;
	}
	return NULL;
}

static const struct silence *
find_for_device(const struct silences *silences, const struct name *device,
	const struct silence_subject *subject, uint64_t now_ns)
{
	for (size_t i = 0; i < silences->count; i++) {
		const struct silence *silence = &silences->items[i];
		if (holds(silence, now_ns) && is_name(device, silence->device) &&
			covers_port(silence, subject->port) && covers_code(silence, subject->code))
			return silence;
	}
	return NULL;
}

const struct silence *
silences_find(
	const struct silences *silences, const struct silence_subject *subject, uint64_t now_ns)
{
	const char *devices = subject->devices;
	const struct silence *found = NULL;
	struct name device;
	if (!has_name(devices, subject->device))
		return find_for_card(silences, subject, now_ns);
	while (next_name(&devices, &device)) {
		found = find_for_device(silences, &device, subject, now_ns);
		if (found == NULL)
			return NULL;
	}
	return found;
}

size_t
silences_count(const struct silences *silences, uint64_t now_ns)
{
	size_t count = 0;
	for (size_t i = 0; i < silences->count; i++)
		count += holds(&silences->items[i], now_ns);
	return count;
}

uint64_t
silences_next_end_ns(const struct silences *silences, uint64_t now_ns)
{
	uint64_t next_ns = UINT64_MAX;
	for (size_t i = 0; i < silences->count; i++) {
		const struct silence *silence = &silences->items[i];
		if (holds(silence, now_ns) && silence->until_ns < next_ns)
			next_ns = silence->until_ns;
	}
	return next_ns;
}
