/* match - matches events against the conditions of a rule. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "array.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define ENTITY "entity."
#define METADATA "metadata."

/* Fields that rules may use. */
static const enum sighting_field fields[] = {SIGHTING_AGENT, SIGHTING_CHECK, SIGHTING_COMPONENT,
	SIGHTING_MESSAGE, SIGHTING_NODE, SIGHTING_STRATEGY, SIGHTING_ACTION};
#define FIELD_COUNT ARRAY_COUNT(fields)

/* Return the part of the key after `prefix`, or NULL if the prefix differs or nothing follows
 * it. */
static const char *
behind(const char *key, const char *prefix)
{
	size_t length = strlen(prefix);
	return strncmp(key, prefix, length) == 0 && key[length] != '\0' ? key + length : NULL;
}

bool
match_key_parse(struct match_key *key, char *text)
{
	*key = (struct match_key){.text = text};
	if (strcmp(text, "errorCode") == 0)
		key->kind = MATCH_CODE;
	else if (strcmp(text, "isFatal") == 0)
		key->kind = MATCH_FATAL;
	else if ((key->name = behind(text, ENTITY)) != NULL)
		key->kind = MATCH_ENTITY;
	else if ((key->name = behind(text, METADATA)) != NULL)
		key->kind = MATCH_METADATA;
	else {
		size_t i = 0;
		while (i < FIELD_COUNT && strcmp(sighting_fields[fields[i]], text) != 0)
			i++;
		key->field = i < FIELD_COUNT ? fields[i] : SIGHTING_FIELD_N;
		return i < FIELD_COUNT;
	}
	return true;
}

static const char *
find_metadata(const struct sighting *event, const char *name)
{
	for (size_t i = 0; i < event->metadata_count; i++)
		if (strcmp(event->metadata[i].name, name) == 0)
			return event->metadata[i].value;
	return NULL;
}

const char *
match_value(const struct sighting *event, const struct match_key *key)
{
	switch (key->kind) {
	case MATCH_FIELD:
		return event->fields[key->field];
	case MATCH_CODE:
		return sighting_code(event);
	case MATCH_FATAL:
		return event->is_fatal ? "true" : "false";
	case MATCH_ENTITY:
		return sighting_entity(event, key->name);
	case MATCH_METADATA:
		return find_metadata(event, key->name);
	}
	return NULL;
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
is_met(const struct condition *condition, const struct sighting *event)
{
	if (condition->key.kind != MATCH_CODE)
		return has_value(condition, match_value(event, &condition->key));
	for (size_t i = 0; i < event->code_count; i++)
		if (has_value(condition, event->codes[i]))
			return true;
	return false;
}

bool
match_holds(const struct match *match, const struct sighting *event)
{
	for (size_t i = 0; i < match->count; i++)
		if (is_met(&match->conditions[i], event) == match->conditions[i].excludes)
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
		free(condition->key.text);
	}
	free(match->conditions);
	*match = (struct match){0};
}
