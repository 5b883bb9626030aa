/* rec - parses, checks and writes one JSON record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rec.h"

#include "jsonout.h"
#include "line.h"
#include "num.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWO_TO_63 9223372036854775808.0
#define TWO_TO_64 18446744073709551616.0

int
rec_refuse(struct rec_error *error, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(error->reason, sizeof error->reason, format, args);
	va_end(args);
	error->offset = 0;
	error->no_memory = false;
	return -1;
}

int
rec_lack_memory(struct rec_error *error)
{
	rec_refuse(error, "out of memory");
	error->no_memory = true;
	return -1;
}

static json_t *
refuse(json_t *parsed, struct rec_error *error, const char *reason, size_t offset)
{
	rec_refuse(error, "%s", reason);
	error->offset = offset;
	json_decref(parsed);
	return NULL;
}

json_t *
rec_parse_new(const char *line, size_t length, struct rec_error *error)
{
	json_error_t json_error;
	json_t *parsed = json_loadb(line, length, 0, &json_error);

	if (parsed == NULL && json_error_code(&json_error) == json_error_numeric_overflow)
		parsed = json_loadb(line, length, JSON_DECODE_INT_AS_REAL, &json_error);
	if (parsed == NULL)
		return refuse(NULL, error, json_error.text,
			json_error.position > 0 ? (size_t)json_error.position : 0);
	/* jansson ignores a NUL after a number, but the next reader of the text may not. */
	const char *nul = memchr(line, '\0', length);
	if (nul != NULL)
		return refuse(parsed, error, "a NUL byte", (size_t)(nul - line));
	if (!json_is_object(parsed))
		return refuse(parsed, error, "not a JSON object", 0);
	if (!json_is_string(json_object_get(parsed, "kind")))
		return refuse(parsed, error, "no \"kind\"", 0);
	return parsed;
}

const char *
rec_kind(const json_t *record)
{
	return json_string_value(json_object_get(record, "kind"));
}

enum rec_status
rec_get_string(const json_t *record, const char *key, const char **out)
{
	const json_t *value = json_object_get(record, key);
	if (value == NULL || json_is_null(value))
		return REC_ABSENT;
	if (!json_is_string(value))
		return REC_WRONG_TYPE;
	*out = json_string_value(value);
	return REC_OK;
}

const char *
rec_text(const json_t *record, const char *key)
{
	const char *text = "";
	rec_get_string(record, key, &text);
	return text;
}

bool
rec_has_text(const json_t *array, const char *text)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		const char *item = json_string_value(json_array_get(array, i));
		if (item != NULL && strcmp(item, text) == 0)
			return true;
	}
	return false;
}

enum rec_status
rec_get_bool(const json_t *record, const char *key, bool *out)
{
	const json_t *value = json_object_get(record, key);
	if (value == NULL || json_is_null(value))
		return REC_ABSENT;
	if (!json_is_boolean(value))
		return REC_WRONG_TYPE;
	*out = json_is_true(value);
	return REC_OK;
}

/* Return whether the value is a real with an integral value within [low, high). */
static bool
integral(const json_t *value, double low, double high, double *out)
{
	if (!json_is_real(value))
		return false;
	*out = json_real_value(value);
	return *out >= low && *out < high && floor(*out) == *out;
}

static enum rec_status
get_int(const json_t *value, int64_t *out)
{
	double real;

	if (value == NULL || json_is_null(value))
		return REC_ABSENT;
	if (json_is_integer(value)) {
		*out = json_integer_value(value);
		return REC_OK;
	}
	if (!integral(value, -TWO_TO_63, TWO_TO_63, &real))
		return REC_WRONG_TYPE;
	*out = (int64_t)real;
	return REC_OK;
}

enum rec_status
rec_get_int(const json_t *record, const char *key, int64_t *out)
{
	return get_int(json_object_get(record, key), out);
}

enum rec_status
rec_u64(const json_t *value, uint64_t *out)
{
	double real;

	if (value == NULL || json_is_null(value))
		return REC_ABSENT;
	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*out = (uint64_t)json_integer_value(value);
		return REC_OK;
	}
	if (json_is_string(value))
		return num_parse_u64(json_string_value(value), UINT64_MAX, out) == NUM_OK
			       ? REC_OK
			       : REC_WRONG_TYPE;
	if (!integral(value, 0, TWO_TO_64, &real))
		return REC_WRONG_TYPE;
	*out = (uint64_t)real;
	return REC_OK;
}

enum rec_status
rec_get_u64(const json_t *record, const char *key, uint64_t *out)
{
	return rec_u64(json_object_get(record, key), out);
}

json_t *
rec_u64_new(uint64_t value)
{
	if (value <= INT64_MAX)
		return json_integer((json_int_t)value);

	char digits[24];
	snprintf(digits, sizeof digits, "%" PRIu64, value);
	return json_string(digits);
}

static bool
has_type(const json_t *value, enum rec_type type)
{
	int64_t integer;
	uint64_t natural;

	switch (type) {
	case REC_STRING:
		return json_is_string(value);
	case REC_INTEGER:
		return get_int(value, &integer) == REC_OK;
	case REC_BOOL:
		return json_is_boolean(value);
	case REC_ARRAY:
		return json_is_array(value);
	case REC_OBJECT:
		return json_is_object(value);
	case REC_BOOTTIME:
		return get_int(value, &integer) == REC_OK || rec_u64(value, &natural) == REC_OK;
	case REC_VALUE:
		return true;
	}
	return false;
}

static bool
get_boottime(const json_t *value, uint64_t *out)
{
	return rec_u64(value, out) == REC_OK && *out <= INT64_MAX;
}

static bool
check_field(const json_t *record, const struct rec_field *field, const json_t *value,
	struct rec_error *error)
{
	bool missing = value == NULL || json_is_null(value);
	bool too_long = field->max_bytes > 0 && json_string_length(value) > field->max_bytes;
	bool is_empty = field->filled && json_is_string(value) && json_string_length(value) == 0;
	uint64_t ns;
	bool is_typed = has_type(value, field->type);
	bool is_in_range = field->type != REC_BOOTTIME || get_boottime(value, &ns);
	bool fits = is_typed && !too_long && !is_empty && is_in_range;

	if (field->lenient || (missing ? !field->required : fits))
		return true;
	rec_refuse(error, "%.40s record %s \"%s\"", rec_kind(record),
		missing     ? "without"
		: too_long  ? "with too long a"
		: is_empty  ? "with an empty"
		: !is_typed ? "with the wrong type of"
			    : "with an out-of-range",
		field->key);
	return false;
}

static void
set_field(const struct rec_field *field, const json_t *value, void *out)
{
	void *target = (char *)out + field->target;

	switch (field->type) {
	case REC_STRING:
		*(const char **)target = json_string_value(value);
		break;
	case REC_INTEGER:
		*(int64_t *)target = field->absent;
		get_int(value, target);
		break;
	case REC_BOOL:
		*(bool *)target = json_is_boolean(value) ? json_is_true(value) : field->absent != 0;
		break;
	case REC_ARRAY:
	case REC_OBJECT:
	case REC_VALUE:
		*(const json_t **)target = has_type(value, field->type) ? value : NULL;
		break;
	case REC_BOOTTIME:
		if (!get_boottime(value, target))
			*(uint64_t *)target = 0;
		break;
	}
}

bool
rec_decode_known(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_memo *memo, struct rec_error *error)
{
	struct rec_memo unknown = {.fields = NULL};

	assert(count <= REC_FIELDS_MAX);
	memo = memo != NULL ? memo : &unknown;
	bool is_known = memo->fields == fields;
	memo->fields = NULL;
	for (size_t i = 0; i < count && !is_known; i++)
		memo->values[i] = json_object_get(record, fields[i].key);
	for (size_t i = 0; i < count; i++) {
		/* A known record keeps its types: check only what limits a value. */
		bool is_limited = fields[i].max_bytes > 0 || fields[i].filled ||
				  fields[i].type == REC_BOOTTIME;
		if ((!is_known || is_limited) &&
			!check_field(record, &fields[i], memo->values[i], error))
			return false;
	}
	memo->fields = fields;
	for (size_t i = 0; i < count; i++)
		set_field(&fields[i], memo->values[i], out);
	return true;
}

bool
rec_decode(const json_t *record, const struct rec_field *fields, size_t count, void *out,
	struct rec_error *error)
{
	return rec_decode_known(record, fields, count, out, NULL, error);
}

int
rec_add_line(struct strbuf *to, const json_t *record)
{
	struct jsonout out = {.text = to};
	jsonout_value(&out, record);
	strbuf_add(to, "\n", 1);
	if (!to->is_short)
		return 0;
	errno = ENOMEM;
	return -1;
}

char *
rec_dump_new(const json_t *record, size_t *length)
{
	struct strbuf line = {0};
	rec_add_line(&line, record);
	*length = line.length;
	return strbuf_detach_new(&line);
}

void
rec_writer_init(struct rec_writer *writer, int fd)
{
	*writer = (struct rec_writer){.fd = fd};
}

void
rec_writer_fini(struct rec_writer *writer)
{
	strbuf_fini(&writer->line);
}

int
rec_write(struct rec_writer *writer, const json_t *record)
{
	strbuf_clear(&writer->line);
	if (rec_add_line(&writer->line, record) < 0)
		return -1;
	return line_write(writer->fd, writer->line.bytes, writer->line.length);
}

int
rec_write_text(struct rec_writer *writer, const char *text, size_t length)
{
	strbuf_clear(&writer->line);
	strbuf_add(&writer->line, text, length);
	strbuf_add(&writer->line, "\n", 1);
	if (writer->line.is_short) {
		errno = ENOMEM;
		return -1;
	}
	return line_write(writer->fd, writer->line.bytes, writer->line.length);
}
