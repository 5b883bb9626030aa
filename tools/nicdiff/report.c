/* report - prints the differences for people. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "report.h"

#include "clock.h"
#include "rec.h"
#include "utf8.h"
#include "when.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Width of the name column, so that values are aligned. */
#define NAME_COLUMNS 32

static int
print_safe(const char *text, int columns, FILE *out)
{
	size_t length = strlen(text), size = 4 * length + 1;
	char *safe = malloc(size);
	if (safe == NULL)
		return -1;
	utf8_escape(text, length, safe, size);
	fprintf(out, "%-*s", columns, safe);
	free(safe);
	return 0;
}

/* Print a string without quotes, another value as JSON, `-` for nothing. */
static int
print_value(const json_t *value, FILE *out)
{
	if (value == NULL || json_is_null(value))
		return print_safe("-", 0, out);
	if (json_is_string(value))
		return print_safe(json_string_value(value), 0, out);
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
	int status = text != NULL ? print_safe(text, 0, out) : -1;
	free(text);
	return status;
}

/* --- scans --- */

static int
print_scan(const struct scan *scan, FILE *out)
{
	char time[WHEN_TIME_SIZE];
	uint64_t when_ns = 0;
	int status = print_safe(scan->begin.node != NULL ? scan->begin.node : "-", 0, out);
	if (clock_parse(scan->begin.ts, &when_ns))
		fprintf(out, " %s", when_time(when_ns, time));
	return status;
}

static int
print_scans(const struct scan *before, const struct scan *after, FILE *out)
{
	char span[WHEN_SPAN_SIZE];
	uint64_t elapsed_ns = compare_elapsed_ns(before, after);
	int status = print_scan(before, out);
	fputs(" -> ", out);
	if (status == 0)
		status = print_scan(after, out);
	if (elapsed_ns > 0)
		fprintf(out, " UTC (%s later)\n", when_span(elapsed_ns, span));
	else
		fputs(" UTC (time between them unknown)\n", out);
	return status;
}

/* --- differences --- */

/* Return a word if only one of the scans has the device or port, else NULL. */
static const char *
word_of(const json_t *row)
{
	const char *what = rec_text(row, "what");
	if (strcmp(what, "device") != 0 && strcmp(what, "port") != 0)
		return NULL;
	if (json_is_null(json_object_get(row, "is")))
		return "gone";
	return json_is_null(json_object_get(row, "was")) ? "new" : NULL;
}

static int
print_row(const json_t *row, FILE *out)
{
	const json_t *growth = json_object_get(row, "delta"), *rate;
	uint64_t delta;
	const char *word = word_of(row);
	fprintf(out, "%s", json_object_get(row, "port") != NULL ? "    " : "  ");
	if (word != NULL) {
		fprintf(out, "%s\n", word);
		return 0;
	}
	int status = print_safe(rec_text(row, "what"), NAME_COLUMNS, out);
	fputc(' ', out);
	if (status == 0)
		status = print_value(json_object_get(row, "was"), out);
	fputs(" -> ", out);
	if (status == 0)
		status = print_value(json_object_get(row, "is"), out);
	if (rec_u64(growth, &delta) == REC_OK) {
		fprintf(out, " (+%" PRIu64, delta);
		rate = json_object_get(row, "per_second");
		if (rate != NULL)
			fprintf(out, ", %.2f/s", json_real_value(rate));
		fputc(')', out);
	}
	fputc('\n', out);
	return status;
}

/* Print the lines above the first row of a device, and of a port. */
static int
print_headings(const json_t *before, const json_t *row, FILE *out)
{
	const json_t *port = json_object_get(row, "port");
	const char *device = rec_text(row, "device"), *pci = rec_text(row, "pci");
	bool is_new = before == NULL || strcmp(rec_text(before, "device"), device) != 0 ||
		      strcmp(rec_text(before, "pci"), pci) != 0;
	int status = 0;
	if (is_new) {
		fputc('\n', out);
		status = print_safe(device, 0, out);
		if (*pci != '\0')
			fputs(" (", out);
		if (status == 0)
			status = print_safe(pci, 0, out);
		fputs(*pci != '\0' ? ")\n" : "\n", out);
	}
	if (port != NULL && (is_new || !json_equal(port, json_object_get(before, "port"))))
		fprintf(out, "  port %" JSON_INTEGER_FORMAT "\n", json_integer_value(port));
	return status;
}

int
report_print(const struct scan *before, const struct scan *after, const json_t *rows, FILE *out)
{
	const json_t *row, *last = NULL;
	size_t i;
	int status = print_scans(before, after, out);
	if (json_array_size(rows) == 0)
		fputs("\nno differences\n", out);
	json_array_foreach (rows, i, row) {
		if (status == 0)
			status = print_headings(last, row, out);
		if (status == 0)
			status = print_row(row, out);
		last = row;
	}
	return status;
}
