/* output - where records go: out as they are, or a scan at a time in a form for people or other programs. */
#include "output.h"

#include "atomfile.h"
#include "line.h"
#include "scan.h"
#include "scanmetrics.h"
#include "style.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct output {
	enum output_format format;
	const char *path; /* nullable */
	struct rec_writer writer;
	struct scan scan;
	bool written; /* at least one scan */
};

/* How the scan at hand is printed, for formats that take scans. */
typedef int output_print(const struct output *output, FILE *out);

static output_print print_table, print_prometheus;

static const struct {
	const char *name;
	output_print *print; /* NULL: records go out as they come */
} formats[OUTPUT_FORMAT_N] = {
	[OUTPUT_JSON] = {"json", NULL},
	[OUTPUT_TABLE] = {"table", print_table},
	[OUTPUT_PROMETHEUS] = {"prometheus", print_prometheus},
};

bool
output_parse_format(const char *name, enum output_format *format)
{
	for (size_t i = 0; i < OUTPUT_FORMAT_N; i++) {
		if (strcmp(name, formats[i].name) == 0) {
			*format = (enum output_format)i;
			return true;
		}
	}
	return false;
}

struct output *
output_new(enum output_format format, const char *path)
{
	struct output *output = calloc(1, sizeof *output);
	if (output == NULL)
		return NULL;
	output->format = format;
	output->path = path;
	rec_writer_init(&output->writer, STDOUT_FILENO);
	return output;
}

void
output_free(struct output *output)
{
	scan_fini(&output->scan);
	rec_writer_fini(&output->writer);
	free(output);
}

const char *
output_name(const struct output *output)
{
	return output->path != NULL ? output->path : "stdout";
}

/* --- one scan at a time --- */

/* The whole text leaves at once: whoever reads never sees half of a scan. */
static int
write_text(struct output *output, const char *text, size_t length)
{
	if (output->path != NULL)
		return atomfile_write(output->path, text, length, ATOMFILE_PUBLIC_MODE);
	return line_write(STDOUT_FILENO, text, length);
}

/* On stdout scans stand below each other. */
static void
print_separator(const struct output *output, FILE *out)
{
	if (output->written && output->path == NULL)
		fputc('\n', out);
}

/* A table takes the place of the one before, on a terminal that can do that. */
static int
print_table(const struct output *output, FILE *out)
{
	int fd = output->path != NULL ? -1 : STDOUT_FILENO;
	struct table_style style = table_style_of(fd, output->scan.begin.interval_ms > 0);

	if (!style.redraw)
		print_separator(output, out);
	return table_print(&output->scan, &style, out);
}

static int
print_prometheus(const struct output *output, FILE *out)
{
	print_separator(output, out);
	return scanmetrics_print(&output->scan, out);
}

static int
print_scan(struct output *output)
{
	char *text = NULL;
	size_t length = 0;
	FILE *memory = open_memstream(&text, &length);
	if (memory == NULL)
		return -1;
	int status = formats[output->format].print(output, memory);
	if (fclose(memory) != 0)
		status = -1;
	if (status < 0)
		errno = ENOMEM; /* nothing else can happen to a text in memory */
	else
		status = write_text(output, text, length);
	int saved_errno = errno;
	free(text);
	scan_clear(&output->scan);
	output->written = true;
	errno = saved_errno;
	return status;
}

static enum output_status
gather(struct output *output, enum scanrec_kind kind, json_t *record, struct rec_error *error)
{
	if (kind == SCANREC_BEGIN && output_end(output) < 0)
		return OUTPUT_FAILED;
	switch (scan_take(&output->scan, kind, json_incref(record), error)) {
	case SCAN_TAKEN:
	case SCAN_IGNORED:
		return OUTPUT_TAKEN;
	case SCAN_FINISHED:
		return print_scan(output) < 0 ? OUTPUT_FAILED : OUTPUT_TAKEN;
	case SCAN_BAD:
		/* An end that cannot be read still ends the scan. */
		return kind == SCANREC_END && print_scan(output) < 0 ? OUTPUT_FAILED : OUTPUT_BAD;
	case SCAN_NO_MEMORY:
		break;
	}
	errno = ENOMEM;
	return OUTPUT_FAILED;
}

enum output_status
output_take(struct output *output, json_t *record, struct rec_error *error)
{
	if (formats[output->format].print == NULL)
		return rec_write(&output->writer, record) < 0 ? OUTPUT_FAILED : OUTPUT_TAKEN;
	enum scanrec_kind kind = scanrec_kind(record);
	return kind == SCANREC_OTHER ? OUTPUT_TAKEN : gather(output, kind, record, error);
}

void
output_lose(struct output *output)
{
	output->scan.whole = false;
}

bool
output_is_empty(const struct output *output)
{
	return formats[output->format].print != NULL && !output->written;
}

int
output_end(struct output *output)
{
	if (!output->scan.open)
		return 0;
	output->scan.whole = false;
	return print_scan(output);
}
