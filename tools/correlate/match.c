/* match - which events a rule is about. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "event.h"
#include "words.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define ENTITY "entity."
#define METADATA "metadata."

static const char *const fields[] = {"agent", "checkName", "componentClass", "errorCode", "isFatal",
	"message", "nodeName", "processingStrategy", "recommendedAction"};
#define FIELD_COUNT (sizeof fields / sizeof *fields)

/* What follows `prefix` in the key; NULL: it has another one, or nothing follows. */
static const char *
behind(const char *key, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(key, prefix, length) == 0 && key[length] != '\0' ? key + length : NULL;
}

bool
match_is_key(const char *key)
{
	return words_find(fields, FIELD_COUNT, key) < FIELD_COUNT || behind(key, ENTITY) != NULL ||
	       behind(key, METADATA) != NULL;
}

static const char *
text_of(const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "true" : "false";
	return json_string_value(value);
}

const char *
match_value(const json_t *event, const char *key)
{
	const char *name;
	if ((name = behind(key, ENTITY)) != NULL)
		return event_entity(event, name);
	if ((name = behind(key, METADATA)) != NULL)
		return json_string_value(json_object_get(json_object_get(event, "metadata"), name));
	const json_t *value = json_object_get(event, key);
	return text_of(json_is_array(value) ? json_array_get(value, 0) : value);
}

static bool
has_value(const struct condition *condition, const char *value)
{
	for (size_t i = 0; value != NULL && i < condition->count; i++)
		if (fnmatch(condition->values[i], value, 0) == 0)
			return true;
	return false;
}

static bool
condition_holds(const struct condition *condition, const json_t *event)
{
	const json_t *values = json_object_get(event, condition->key), *value;
	size_t i;
	if (!json_is_array(values))
		return has_value(condition, match_value(event, condition->key));
	json_array_foreach (values, i, value)
		if (has_value(condition, text_of(value)))
			return true;
	return false;
}

bool
match_holds(const struct match *match, const json_t *event)
{
	for (size_t i = 0; i < match->count; i++)
		if (!condition_holds(&match->conditions[i], event))
			return false;
	return true;
}

void
match_fini(struct match *match)
{
	for (size_t i = 0; i < match->count; i++) {
		struct condition *condition = &match->conditions[i];
		for (size_t value = 0; value < condition->count; value++)
			free(condition->values[value]);
		free(condition->values);
		free(condition->key);
	}
	free(match->conditions);
	*match = (struct match){0};
}
