/* stamp - an event as the line that is shipped, with what was missing filled in. */
#include "stamp.h"

#include <stdlib.h>
#include <string.h>

/* True when the key was missing, or null, and has been set. */
static bool
set_missing(json_t *event, const char *key, const char *value)
{
	const json_t *present = json_object_get(event, key);
	if (present != NULL && !json_is_null(present))
		return false;
	return json_object_set_new(event, key, json_string(value)) == 0;
}

char *
stamp_new(const struct intake_record *record, const char *node, size_t *length)
{
	bool changed = set_missing(record->json, "nodeName", node);
	changed |= set_missing(record->json, "processingStrategy", "EXECUTE_REMEDIATION");

	if (changed)
		return rec_dump_new(record->json, length);

	char *line = malloc(record->length + 1);
	if (line == NULL)
		return NULL;
	memcpy(line, record->text, record->length);
	line[record->length] = '\n';
	*length = record->length + 1;
	return line;
}
