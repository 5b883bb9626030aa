/* decoder - what the parts of reading a state file share: values taken from JSON, and checked. */
#include "decoder.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

const json_t *
decoder_member(struct decoder *decoder, const char *key, json_type type, int *status)
{
	const json_t *value = json_object_get(decoder->root, key);
	if (value == NULL || json_is_null(value))
		return NULL;
	if (json_typeof(value) == type)
		return value;
	*status = rec_refuse(decoder->error, "\"%s\" is of a wrong type", key);
	return NULL;
}

int
decoder_text(
	struct decoder *decoder, const json_t *object, const char *key, char *field, size_t size)
{
	const char *text = NULL;
	if (rec_get_string(object, key, &text) == REC_WRONG_TYPE ||
		(text != NULL && strlen(text) >= size))
		return rec_refuse(
			decoder->error, "\"%s\" is no text of at most %zu bytes", key, size - 1);
	state_copy(field, size, text);
	return 0;
}

int
decoder_flag(struct decoder *decoder, const json_t *object, const char *key, bool *out)
{
	if (rec_get_bool(object, key, out) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "\"%s\" is neither true nor false", key);
	return 0;
}

int
decoder_count(struct decoder *decoder, const json_t *object, const char *key, unsigned *out)
{
	uint64_t value = *out;
	if (rec_get_u64(object, key, &value) == REC_WRONG_TYPE || value > 1000000)
		return rec_refuse(decoder->error, "\"%s\" is no small number", key);
	*out = (unsigned)value;
	return 0;
}

int
decoder_no_entry(struct decoder *decoder)
{
	return rec_refuse(decoder->error, "%s",
		errno == ENOSPC ? "more entries than any node has" : "out of memory");
}

bool
decoder_is_name(const char *text)
{
	return *text != '\0' && strlen(text) < STATE_NAME_SIZE;
}

bool
decoder_port_number(const json_t *object, int64_t *out)
{
	return rec_get_int(object, "port", out) == REC_OK && *out >= 0 && *out <= INT32_MAX;
}

int
decoder_each(struct decoder *decoder, const char *section,
	int (*take)(struct decoder *decoder, const json_t *item))
{
	int status = 0;
	size_t i;
	const json_t *item;
	const json_t *array = decoder_member(decoder, section, JSON_ARRAY, &status);

	json_array_foreach (array, i, item) {
		if (take(decoder, item) < 0)
			return -1;
	}
	return status;
}
