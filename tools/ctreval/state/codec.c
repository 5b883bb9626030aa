/* codec - what the sections of a state file are made with. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "codec.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* More scans than anybody waits for. */
#define COUNT_MAX 1000000

/* --- what the sections share --- */

int
codec_refuse(struct decoder *decoder, const char *why)
{
	return rec_refuse(decoder->error, "%s %s", decoder->what, why);
}

int
codec_no_entry(struct decoder *decoder)
{
	return errno == ENOSPC ? rec_refuse(decoder->error, "more entries than any node has")
			       : rec_lack_memory(decoder->error);
}

bool
codec_is_name(const char *text)
{
	return *text != '\0' && strlen(text) < STATE_NAME_SIZE;
}

const char *
codec_name(const json_t *object, const char *key)
{
	const char *name = NULL;
	return rec_get_string(object, key, &name) == REC_OK && codec_is_name(name) ? name : NULL;
}

bool
codec_port_number(const json_t *object, int64_t *out)
{
	return rec_get_int(object, "port", out) == REC_OK && *out >= 0 && *out <= INT32_MAX;
}

/* --- writing --- */

static const struct field said_fields[] = {
	{"fatal", FIELD_FLAG, FIELD_AT(struct said, fatal)},
	{"code", FIELD_TEXT, FIELD_AT(struct said, code)},
	{"id", FIELD_TEXT, FIELD_AT(struct said, id)},
	{.key = NULL},
};

static void
encode_downs(struct jsonout *out, const struct flap_memory *flap)
{
	jsonout_open(out, '[');
	for (unsigned i = 0; i < flap->downs; i++)
		jsonout_u64(out, flap->downs_ns[i]);
	jsonout_close(out, ']');
}

static bool
is_unknown(const struct field *field, const void *entry, const void *member)
{
	if (field->unknown == FIELD_ALWAYS)
		return false;
	switch (field->kind) {
	case FIELD_TEXT:
		return *(const char *)member == '\0';
	case FIELD_LENT:
		return *(const char *const *)member == NULL;
	case FIELD_FLAG:
		return !*(const bool *)member;
	case FIELD_U64:
		return !*(const bool *)((const char *)entry + field->known);
	case FIELD_SAID:
		return !((const struct said *)member)->stands;
	default:
		return false;
	}
}

/* Encode the value of a member that is known. */
static void
encode_value(struct jsonout *out, const struct field *field, const void *member)
{
	switch (field->kind) {
	case FIELD_TEXT:
	case FIELD_TEXT_ONCE:
	case FIELD_KEY:
		jsonout_string(out, member);
		break;
	case FIELD_LENT:
	case FIELD_KEY_LENT:
		jsonout_string(out, *(const char *const *)member);
		break;
	case FIELD_FLAG:
		jsonout_bool(out, *(const bool *)member);
		break;
	case FIELD_CHOICE:
		jsonout_bool(out, *(const unsigned *)member == field->high);
		break;
	case FIELD_LAYER:
		jsonout_string(out, layer_name(*(const enum layer *)member));
		break;
	case FIELD_COUNT:
		jsonout_u64(out, *(const unsigned *)member);
		break;
	case FIELD_U64:
		jsonout_u64(out, *(const uint64_t *)member);
		break;
	case FIELD_HEALTH:
		jsonout_string(out, port_memory_name(*(const enum port_memory *)member));
		break;
	case FIELD_DOWNS:
		encode_downs(out, member);
		break;
	case FIELD_SAID:
		codec_encode_object(out, said_fields, member);
		break;
	case FIELD_KEY_PORT:
		jsonout_integer(out, *(const long long *)member);
		break;
	}
}

void
codec_encode(struct jsonout *out, const struct field *fields, const void *entry)
{
	for (const struct field *field = fields; field->key != NULL; field++) {
		const void *member = (const char *)entry + field->offset;
		bool unknown = is_unknown(field, entry, member);
		if (unknown && field->unknown == FIELD_LEFT_OUT)
			continue;
		jsonout_key(out, field->key);
		if (unknown)
			jsonout_null(out);
		else
			encode_value(out, field, member);
	}
}

void
codec_encode_object(struct jsonout *out, const struct field *fields, const void *entry)
{
	jsonout_open(out, '{');
	codec_encode(out, fields, entry);
	jsonout_close(out, '}');
}

/* --- reading --- */

static int
decode_text(struct decoder *decoder, const struct field *field, const json_t *object, char *member)
{
	const char *text = NULL;
	if (rec_get_string(object, field->key, &text) == REC_WRONG_TYPE ||
		(text != NULL && strlen(text) >= field->size))
		return rec_refuse(decoder->error, "\"%s\" is not text of at most %zu bytes",
			field->key, field->size - 1);
	if (field->kind != FIELD_TEXT_ONCE || *member == '\0')
		state_copy(member, field->size, text);
	return 0;
}

static int
decode_layer(
	struct decoder *decoder, const struct field *field, const json_t *object, enum layer *out)
{
	char layer[STATE_WORD_SIZE];
	const struct field text = {.key = field->key, .kind = FIELD_TEXT, .size = sizeof layer};
	if (decode_text(decoder, &text, object, layer) < 0)
		return -1;
	*out = layer_find(layer);
	return 0;
}

static int
decode_flag(struct decoder *decoder, const struct field *field, const json_t *object, bool *out)
{
	if (rec_get_bool(object, field->key, out) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "\"%s\" is neither true nor false", field->key);
	return 0;
}

static int
decode_choice(
	struct decoder *decoder, const struct field *field, const json_t *object, unsigned *out)
{
	bool high = false;
	if (decode_flag(decoder, field, object, &high) < 0)
		return -1;
	*out = high ? field->high : field->low;
	return 0;
}

static int
decode_count(
	struct decoder *decoder, const struct field *field, const json_t *object, unsigned *out)
{
	uint64_t value = *out;
	if (rec_get_u64(object, field->key, &value) == REC_WRONG_TYPE || value > COUNT_MAX)
		return rec_refuse(decoder->error, "\"%s\" is not a small number", field->key);
	*out = (unsigned)value;
	return 0;
}

static int
decode_health(struct decoder *decoder, const struct field *field, const json_t *object,
	enum port_memory *out)
{
	const char *name = NULL;
	enum rec_status status = rec_get_string(object, field->key, &name);
	if (status == REC_ABSENT)
		return 0;
	*out = status == REC_OK ? port_memory_find(name) : PORT_MEMORY_N;
	return *out == PORT_MEMORY_N || *out == PORT_NEW_SUSPECT ? codec_refuse(decoder, field->why)
								 : 0;
}

static int
decode_downs(struct decoder *decoder, const struct field *field, const json_t *object,
	struct flap_memory *flap)
{
	const json_t *downs = json_object_get(object, field->key);
	size_t count = json_array_size(downs);

	if (count == 0 || count > FLAP_DOWNS)
		return rec_refuse(decoder->error, "%s has no list of one to %d link-downs",
			decoder->what, FLAP_DOWNS);
	for (size_t i = 0; i < count; i++) {
		if (rec_u64(json_array_get(downs, i), &flap->downs_ns[i]) != REC_OK)
			return rec_refuse(decoder->error, "a link-down has no time");
	}
	flap->downs = (unsigned)count;
	return 0;
}

/* Where there is no such member the file is of a version that had no codes. */
static int
decode_said(
	struct decoder *decoder, const struct field *field, const json_t *object, struct said *said)
{
	const json_t *value = json_object_get(object, field->key);
	if (value == NULL)
		return 0;
	*said = (struct said){.stands = json_is_object(value)};
	if (!said->stands && !json_is_null(value))
		return rec_refuse(decoder->error, "\"%s\" is not an object", field->key);
	return codec_decode(decoder, said_fields, value, said);
}

static int
decode_field(struct decoder *decoder, const struct field *field, const json_t *object, void *entry)
{
	void *member = (char *)entry + field->offset;
	enum rec_status status = REC_OK;

	switch (field->kind) {
	case FIELD_TEXT:
	case FIELD_TEXT_ONCE:
		return decode_text(decoder, field, object, member);
	case FIELD_FLAG:
		return decode_flag(decoder, field, object, member);
	case FIELD_CHOICE:
		return decode_choice(decoder, field, object, member);
	case FIELD_LAYER:
		return decode_layer(decoder, field, object, member);
	case FIELD_COUNT:
		return decode_count(decoder, field, object, member);
	case FIELD_HEALTH:
		return decode_health(decoder, field, object, member);
	case FIELD_DOWNS:
		return decode_downs(decoder, field, object, member);
	case FIELD_SAID:
		return decode_said(decoder, field, object, member);
	case FIELD_LENT:
		status = rec_get_string(object, field->key, member);
		break;
	case FIELD_U64:
		status = rec_get_u64(object, field->key, member);
		if (field->unknown != FIELD_ALWAYS)
			*(bool *)((char *)entry + field->known) = status == REC_OK;
		break;
	case FIELD_KEY:
	case FIELD_KEY_LENT:
	case FIELD_KEY_PORT:
		break;
	}
	return status == REC_WRONG_TYPE ? codec_refuse(decoder, field->why) : 0;
}

int
codec_decode(struct decoder *decoder, const struct field *fields, const json_t *object, void *entry)
{
	for (const struct field *field = fields; field->key != NULL; field++) {
		if (decode_field(decoder, field, object, entry) < 0)
			return -1;
	}
	return 0;
}
