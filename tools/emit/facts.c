/* facts - what emit has to know of an event. */
#include "facts.h"

#include "clock.h"
#include "rec.h"
#include "utf8.h"

#include <string.h>

static const char *
text_of(const json_t *object, const char *key)
{
	const char *text = "";
	rec_get_string(object, key, &text);
	return text;
}

/* Adds texts to one another, with `between`, as far as there is room. */
static void
join(char out[FACTS_TEXT_SIZE], const char *between, const char *text)
{
	size_t used = strlen(out);
	const char *const parts[] = {between, text};
	for (size_t i = 0; i < 2; i++) {
		size_t length = utf8_cut(parts[i], strlen(parts[i]), FACTS_TEXT_SIZE - 1 - used);
		memcpy(out + used, parts[i], length);
		used += length;
		out[used] = '\0';
	}
}

static void
read_entities(struct facts *facts, const json_t *event)
{
	size_t i;
	const json_t *entity;
	json_array_foreach (json_object_get(event, "entitiesImpacted"), i, entity) {
		const char *type = text_of(entity, "entityType"),
			   *value = text_of(entity, "entityValue");
		join(facts->about, i > 0 ? "," : "", type);
		join(facts->about, "=", value);
		if (strcmp(type, "NIC") == 0 && *facts->device == '\0')
			facts->device = value;
		if (strcmp(type, "NICPort") == 0 && *facts->port == '\0')
			facts->port = value;
	}
}

static void
read_codes(struct facts *facts, const json_t *event)
{
	size_t i;
	const json_t *code;
	json_array_foreach (json_object_get(event, "errorCode"), i, code)
		join(facts->code, i > 0 ? "," : "",
			json_is_string(code) ? json_string_value(code) : "");
}

void
facts_read(struct facts *facts, const json_t *event)
{
	*facts = (struct facts){
		.id = text_of(event, "id"),
		.source = text_of(event, "source"),
		.agent = text_of(event, "agent"),
		.node = text_of(event, "nodeName"),
		.check = text_of(event, "checkName"),
		.message = text_of(event, "message"),
		.action = text_of(event, "recommendedAction"),
		.strategy = text_of(event, "processingStrategy"),
		.device = "",
		.port = "",
	};
	if (strlen(facts->source) > FACTS_SOURCE_MAX)
		facts->source = "";
	/* SQLite's and JSON's integers end at 2^63-1. */
	if (rec_get_u64(event, "seq", &facts->seq) != REC_OK || facts->seq > INT64_MAX)
		facts->seq = 0;
	rec_get_bool(event, "isFatal", &facts->fatal);
	rec_get_bool(event, "isHealthy", &facts->healthy);
	if (!clock_parse(text_of(event, "generatedTimestamp"), &facts->time_ns) ||
		facts->time_ns > INT64_MAX)
		facts->time_ns = 0;
	read_entities(facts, event);
	read_codes(facts, event);
}

bool
facts_are_urgent(const struct facts *facts)
{
	return facts->fatal || facts->healthy;
}
