/* fuzz_prometheus - prints arbitrary bytes, as a stream of records, as metrics: every line is valid
 * Prometheus text, and no series occurs twice. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "labels.h"
#include "scanmetrics.h"
#include "scans.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOWER "abcdefghijklmnopqrstuvwxyz"

/* Check a sample and cut off its value, so that the series is left. */
static void
check_sample(char *line)
{
	const char *at = line + strspn(line, LOWER DIGITS "_");
	assert(strncmp(line, "nic_", 4) == 0);
	if (*at == '{')
		at = skip_labels(at, LOWER "_");
	assert(*at == ' ');
	size_t value = strspn(at + 1, DIGITS ".e+");
	assert(value > 0 && at[1 + value] == '\0');
	line[at - line] = '\0';
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
check_text(char *text)
{
	char **series = calloc(strlen(text) + 1, sizeof *series);
	size_t count = 0;

	assert(series != NULL && utf8_is_valid(text) && text[strlen(text) - 1] == '\n');
	for (char *line = text; *line != '\0';) {
		char *next = strchr(line, '\n');
		*next++ = '\0';
		if (*line == '#') {
			assert(strncmp(line, "# HELP ", 7) == 0 ||
				strncmp(line, "# TYPE ", 7) == 0);
		} else {
			check_sample(line);
			series[count++] = line;
		}
		line = next;
	}
	qsort(series, count, sizeof *series, compare);
	for (size_t i = 1; i < count; i++)
		assert(strcmp(series[i - 1], series[i]) != 0);
	free(series);
}

static void
show(struct scan *scan, void *unused)
{
	(void)unused;
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	assert(out != NULL && scanmetrics_print(scan, out) == 0 && fclose(out) == 0);
	assert(strlen(text) == length);
	check_text(text);
	free(text);
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
