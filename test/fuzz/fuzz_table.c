/* fuzz_table - prints arbitrary bytes, as a stream of records, as nicview's table: each line is
 * valid text, not too long, and contains no control characters for a terminal. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/table.h"
#include "scans.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t
characters(const char *line)
{
	size_t count = 0;
	for (; *line != '\0'; line++)
		count += ((unsigned char)*line & 0xC0) != 0x80;
	return count;
}

/* Escaping must not change the line: it contains no control characters for a terminal. */
static void
check_line(const char *line, unsigned columns)
{
	size_t length = strlen(line);
	char *escaped = malloc(4 * length + 1);
	assert(escaped != NULL);
	utf8_escape(line, length, escaped, 4 * length + 1);
	assert(strcmp(line, escaped) == 0);
	assert(characters(line) <= columns);
	free(escaped);
}

static void
print(const struct scan *scan, unsigned columns, unsigned rows)
{
	const struct table_style style = {.columns = columns, .rows = rows};
	char *text = NULL;
	size_t length = 0, lines = 0;
	FILE *out = open_memstream(&text, &length);
	assert(out != NULL && table_print(scan, &style, out) == 0 && fclose(out) == 0);
	assert(strlen(text) == length && length > 0 && text[length - 1] == '\n');
	for (char *line = text; *line != '\0'; lines++) {
		char *feed = strchr(line, '\n');
		*feed = '\0';
		check_line(line, columns);
		line = feed + 1;
	}
	assert(rows == 0 || lines <= rows);
	free(text);
}

static void
show(struct scan *scan, void *unused)
{
	(void)unused;
	print(scan, TABLE_COLUMNS, 0);
	print(scan, TABLE_COLUMNS_MIN, 12);
	scan_clear(scan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan scan = {0};
	scans_read(&scan, data, size, show, NULL);
	scan_fini(&scan);
	return 0;
}
