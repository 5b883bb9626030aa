/* jsonout - writes JSON to the end of a text that grows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonout.h"

#include "num.h"

#include <string.h>

/* 15 significant digits preserve reals: 17 would show 2.1 as 2.1000000000000001. */
#define REAL_FLAGS (JSON_ENCODE_ANY | JSON_REAL_PRECISION(15))
#define REAL_SIZE 32

/* Make room, and write the comma if there must be one. When out of memory there is no room. */
static inline struct jsontext
begin(struct jsonout *out, size_t size)
{
	char *at = strbuf_reserve(out->text, size + 1);
	struct jsontext to = {.at = at, .end = at != NULL ? at + size + 1 : NULL};
	if (out->comma)
		JSONTEXT_PUT(&to, ",");
	return to;
}

/* Keep what was written since begin(). `comma`: write one before what comes next. */
static inline void
end(struct jsonout *out, const struct jsontext *to, bool comma)
{
	if (to->at != NULL)
		strbuf_wrote(out->text, (size_t)(to->at - out->text->bytes) - out->text->length);
	out->text->is_short |= to->full;
	out->comma = comma;
}

struct jsontext
jsonout_reserve(struct jsonout *out, size_t size)
{
	return begin(out, size);
}

void
jsonout_wrote(struct jsonout *out, const struct jsontext *to)
{
	end(out, to, true);
}

void
jsonout_open(struct jsonout *out, char bracket)
{
	struct jsontext to = begin(out, 1);
	jsontext_put(&to, &bracket, 1);
	end(out, &to, false);
}

void
jsonout_close(struct jsonout *out, char bracket)
{
	out->comma = false;
	struct jsontext to = begin(out, 1);
	jsontext_put(&to, &bracket, 1);
	end(out, &to, true);
}

void
jsonout_key(struct jsonout *out, const char *key)
{
	size_t length = strlen(key);
	struct jsontext to = begin(out, length + strlen("\"\":"));
	JSONTEXT_PUT(&to, "\"");
	jsontext_put(&to, key, length);
	JSONTEXT_PUT(&to, "\":");
	end(out, &to, false);
}

void
jsonout_key_of(struct jsonout *out, const char *const *parts)
{
	size_t length = 0;
	for (const char *const *part = parts; *part != NULL; part++)
		length += strlen(*part);

	struct jsontext to = begin(out, JSONTEXT_ESCAPED_SIZE * length + strlen("\"\":"));
	JSONTEXT_PUT(&to, "\"");
	for (const char *const *part = parts; *part != NULL; part++)
		jsontext_put_escaped(&to, *part, strlen(*part));
	JSONTEXT_PUT(&to, "\":");
	end(out, &to, false);
}

void
jsonout_string(struct jsonout *out, const char *string)
{
	size_t length = strlen(string);
	struct jsontext to = begin(out, JSONTEXT_ESCAPED_SIZE * length + strlen("\"\""));
	JSONTEXT_PUT(&to, "\"");
	jsontext_put_escaped(&to, string, length);
	JSONTEXT_PUT(&to, "\"");
	end(out, &to, true);
}

void
jsonout_u64(struct jsonout *out, uint64_t value)
{
	struct jsontext to = begin(out, NUM_U64_SIZE + strlen("\"\""));
	jsontext_put_u64(&to, value);
	end(out, &to, true);
}

void
jsonout_integer(struct jsonout *out, int64_t value)
{
	struct jsontext to = begin(out, NUM_U64_SIZE + strlen("-"));
	if (value < 0)
		JSONTEXT_PUT(&to, "-");
	/* The least number has no positive counterpart of its type. */
	jsontext_put_number(&to, value < 0 ? (uint64_t)(-(value + 1)) + 1 : (uint64_t)value);
	end(out, &to, true);
}

void
jsonout_bool(struct jsonout *out, bool value)
{
	struct jsontext to = begin(out, strlen("false"));
	jsontext_put_bool(&to, value);
	end(out, &to, true);
}

void
jsonout_null(struct jsonout *out)
{
	struct jsontext to = begin(out, strlen("null"));
	JSONTEXT_PUT(&to, "null");
	end(out, &to, true);
}

static void
put_real(struct jsonout *out, const json_t *value)
{
	char digits[REAL_SIZE];
	size_t length = json_dumpb(value, digits, sizeof digits, REAL_FLAGS);
	struct jsontext to = begin(out, length);
	jsontext_put(&to, digits, length);
	end(out, &to, true);
	/* json_dumpb() allocates memory. */
	out->text->is_short |= length == 0;
}

void
jsonout_value(struct jsonout *out, const json_t *value)
{
	size_t i;
	const json_t *item;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		jsonout_open(out, '{');
		jsonout_members(out, value);
		jsonout_close(out, '}');
		break;
	case JSON_ARRAY:
		jsonout_open(out, '[');
		json_array_foreach (value, i, item)
			jsonout_value(out, item);
		jsonout_close(out, ']');
		break;
	case JSON_STRING:
		jsonout_string(out, json_string_value(value));
		break;
	case JSON_INTEGER:
		jsonout_integer(out, json_integer_value(value));
		break;
	case JSON_REAL:
		put_real(out, value);
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		jsonout_bool(out, json_is_true(value));
		break;
	case JSON_NULL:
		jsonout_null(out);
		break;
	}
}

void
jsonout_members(struct jsonout *out, const json_t *object)
{
	const char *key;
	json_t *value;

	/* It only reads, but does not say so. */
	json_object_foreach ((json_t *)object, key, value) {
		jsonout_key_of(out, (const char *const[]){key, NULL});
		jsonout_value(out, value);
	}
}
