/* scanbuf - buffers the records of one scan until its end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanbuf.h"

#include "array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
scanbuf_add(struct scanbuf *scan, const struct scanbuf_line *line)
{
	struct scanbuf_line copy = *line;

	if (scan->bytes + line->length > SCANBUF_MAX_BYTES) {
		errno = EMSGSIZE;
		goto failed;
	}
	struct scanbuf_line *lines =
		array_grown(scan->lines, scan->count, &scan->capacity, sizeof *lines);
	if (lines == NULL)
		goto failed;
	scan->lines = lines;
	copy.text = malloc(line->length + 2);
	if (copy.text == NULL)
		goto failed;
	memcpy(copy.text, line->text, line->length);
	memcpy(copy.text + line->length, "\n", 2);
	scan->lines[scan->count++] = copy;
	scan->bytes += line->length;
	return 0;

failed:
	json_decref(copy.json);
	return -1;
}

void
scanbuf_clear(struct scanbuf *scan)
{
	for (size_t i = 0; i < scan->count; i++) {
		json_decref(scan->lines[i].json);
		free(scan->lines[i].text);
	}
	scan->count = scan->bytes = 0;
}

void
scanbuf_fini(struct scanbuf *scan)
{
	scanbuf_clear(scan);
	free(scan->lines);
	*scan = (struct scanbuf){0};
}

const json_t *
scanbuf_in_end(const struct scanbuf *scan, const char *key)
{
	const json_t *value = NULL;
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->lines[i].kind == SCANREC_END)
			value = json_object_get(scan->lines[i].json, key);
	}
	return value;
}

bool
scanbuf_has_interface(const struct scanrec_device *device, const char *interface, bool with_stacked)
{
	size_t i, u;
	const json_t *netdev, *upper;

	json_array_foreach (device->netdevs, i, netdev) {
		const char *name = json_string_value(json_object_get(netdev, "name"));
		if (name != NULL && strcmp(name, interface) == 0)
			return true;
		if (!with_stacked)
			continue;
		json_array_foreach (json_object_get(netdev, "uppers"), u, upper) {
			const char *upper_name = json_string_value(upper);
			if (upper_name != NULL && strcmp(upper_name, interface) == 0)
				return true;
		}
	}
	return false;
}
