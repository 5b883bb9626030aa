/* scanbuf - the lines of one scan, held until its end. */
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
