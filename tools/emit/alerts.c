/* alerts - conditions as the body for Alertmanager's POST /api/v2/alerts. */
#include "alerts.h"

#include "clock.h"
#include "utf8.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Longest UTF-8 that takes the place of a byte: U+FFFD. */
#define REPLACEMENT_BYTES 3

static json_t *
string_new(const char *text)
{
	if (utf8_is_valid(text))
		return json_string(text);
	size_t length = strlen(text), size = REPLACEMENT_BYTES * length + 1;
	char *safe = malloc(size);
	if (safe == NULL)
		return NULL;
	utf8_sanitize(text, length, safe, size);
	json_t *string = json_string(safe);
	free(safe);
	return string;
}

/* Sets a text that there is. False when memory ran out. */
static bool
set(json_t *object, const char *key, const char *text)
{
	return text == NULL || *text == '\0' ||
	       json_object_set_new(object, key, string_new(text)) == 0;
}

static json_t *
labels_new(const struct alert *alert)
{
	json_t *labels = json_object();
	if (set(labels, "alertname", ALERTS_NAME) && set(labels, "node", alert->node) &&
		set(labels, "check", alert->check) && set(labels, "device", alert->device) &&
		set(labels, "port", alert->port) && set(labels, "code", alert->code) &&
		set(labels, "severity", alert->fatal ? "critical" : "warning"))
		return labels;
	json_decref(labels);
	return NULL;
}

static json_t *
annotations_new(const struct alert *alert)
{
	json_t *annotations = json_object();
	if (set(annotations, "message", alert->message) &&
		set(annotations, "action", alert->action))
		return annotations;
	json_decref(annotations);
	return NULL;
}

static json_t *
alert_new(const struct alert *alert)
{
	char since[CLOCK_STAMP_SIZE], end[CLOCK_STAMP_SIZE];
	clock_format(alert->since_ns < alert->ends_ns ? alert->since_ns : alert->ends_ns, since);
	clock_format(alert->ends_ns, end);

	/* jansson takes over what it is given, and passes on a NULL as a failure. */
	json_t *out = json_object();
	bool whole = json_object_set_new(out, "labels", labels_new(alert)) == 0;
	whole = json_object_set_new(out, "annotations", annotations_new(alert)) == 0 && whole;
	if (whole && set(out, "startsAt", since) && set(out, "endsAt", end))
		return out;
	json_decref(out);
	return NULL;
}

char *
alerts_encode_new(const struct alert *alerts, size_t count, size_t *length)
{
	char *body = NULL;
	json_t *list = json_array();
	for (size_t i = 0; i < count; i++)
		if (json_array_append_new(list, alert_new(&alerts[i])) < 0)
			goto done;
	body = json_dumps(list, JSON_COMPACT);
	if (body != NULL)
		*length = strlen(body);
done:
	json_decref(list);
	return body;
}
