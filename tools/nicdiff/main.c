/* nicdiff - shows the differences between two scans of a node's NICs, device by device, with the
 * growth and rate of counters.
 *
 *   main.c      options, wiring, output, exit code
 *   source.c    reads scans from a file of records; from anything else with nhm-capture
 *   compare.c   pure: compares two scans
 *   report.c    pure: prints the differences */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "compare.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "line.h"
#include "opt.h"
#include "report.h"
#include "source.h"
#include "strbuf.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Exit code if something differs, like diff(1). */
#define EXIT_DIFFERS 1

/* Maximum number of operands. */
#define SOURCES_MAX 2

struct options {
	bool json;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{"json", NULL, "print a record for each difference", OPT_FLAG(struct options, json)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "nicdiff",
	.purpose = "Show what differs between two scans: the first and the last of one FILE, or "
		   "the last of two.",
	.operands = "[FILE]...",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Allow no files: all are open, and nhm-capture already runs. Return an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "nicdiff", options->confine);
	return confine_enter(&confine);
}

/* --- output --- */

static char *
lines_new(const json_t *rows, size_t *length)
{
	struct strbuf text = {0};
	const json_t *row;
	size_t i;
	json_array_foreach (rows, i, row)
		rec_add_line(&text, row);
	*length = text.length;
	return strbuf_detach_new(&text);
}

static char *
report_new(const struct scan *before, const struct scan *after, const json_t *rows, size_t *length)
{
	struct strbuf text = {0};
	FILE *out = strbuf_open(&text);
	if (out != NULL)
		text.is_short |= report_print(before, after, rows, out) < 0;
	text.is_short |= out == NULL || fclose(out) != 0;
	*length = text.length;
	return strbuf_detach_new(&text);
}

/* Return the exit code. */
static int
show(const struct options *options, const struct scan *before, const struct scan *after)
{
	size_t length = 0;
	json_t *rows = compare_new(before, after);
	bool differs = json_array_size(rows) > 0;
	char *text = NULL;
	if (rows != NULL)
		text = options->json ? lines_new(rows, &length)
				     : report_new(before, after, rows, &length);
	json_decref(rows);
	if (text == NULL)
		return diag_no_memory();
	int status = differs ? EXIT_DIFFERS : 0;
	if (line_write(STDOUT_FILENO, text, length) < 0 || close(STDOUT_FILENO) < 0)
		status = diag_io_failure("stdout");
	free(text);
	return status;
}

/* --- the run --- */

static int
lack(const char *name, const char *what)
{
	diag_error("%s: %s", name, what);
	return EXIT_DATA;
}

/* Compare the last scans of two sources, or the first and last of one. Return the exit code. */
static int
compare(const struct options *options, const struct source *sources, size_t count)
{
	const struct scan *scans[SOURCES_MAX];
	for (size_t i = 0; i < count; i++) {
		scans[i] = source_last(&sources[i]);
		if (scans[i] == NULL)
			return lack(sources[i].name, "it contains no scan");
	}
	if (count == SOURCES_MAX)
		return show(options, scans[0], scans[1]);
	if (sources[0].count < 2)
		return lack(sources[0].name, "it contains only one scan: nothing to compare");
	return show(options, &sources[0].first, &sources[0].last);
}

/* `operands` is NULL-terminated. Return the exit code. */
static int
run(const struct options *options, char *const *operands)
{
	struct source sources[SOURCES_MAX];
	size_t count = 0;
	int status;
	do {
		status = source_open(&sources[count], operands[count]);
		count++;
	} while (status == 0 && operands[count - 1] != NULL && operands[count] != NULL);
	if (status == 0)
		status = confine(options);
	for (size_t i = 0; i < count && status == 0; i++)
		status = source_read(&sources[i]);
	if (status == 0)
		status = compare(options, sources, count);
	for (size_t i = 0; i < count; i++)
		source_fini(&sources[i]);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.confine = confine_default()};
	int status;

	diag_init("nicdiff");
	jsonmemory_require();
	/* An ignored SIGCHLD is inherited; reset it so that children can be waited for. */
	signal(SIGCHLD, SIG_DFL);
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	if (argc - first > SOURCES_MAX)
		return opt_unexpected_operand(argv[first + SOURCES_MAX]);
	return run(&options, argv + first);
}
