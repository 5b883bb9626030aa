/* nicview - shows a node's NICs as a table, problems first.
 *
 *   main.c         options, wiring, output of tables, exit code
 *   live.c         scans this node with a child process, ibscan
 *
 *   table.c        pure: prints a scan as a table
 *   headline.c     pure: formats the first line
 *   rows.c         pure: makes, evaluates and sorts the rows
 *   cells.c        pure: formats the columns
 *   remarks.c      pure: formats the last column, with the error counters
 *   layout.c       pure: fits the columns into the width
 *
 *   From ibscan:
 *   scanoptions.c  options that select what is scanned, and how
 *
 *   From lib:
 *   scanwriter.c   reads scan records and writes each scan as a text
 *   evidence.c     pure: compares a port that is not up with those of other cards */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../ibscan/scanoptions.h"
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "live.h"
#include "opt.h"
#include "scanwriter.h"
#include "sibling.h"
#include "stop.h"
#include "table.h"
#include "terminal.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct options {
	struct arguments scan;   /* arguments for ibscan */
	const char *scan_option; /* first option that requests a scan; NULL: none */
	const char *output_path; /* NULL: stdout */
	const char *metrics_fd;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	OPT_FOREIGN_TABLE(scanoptions_table, SCANOPTIONS_N),
	{"output", "FILE", "write each table to FILE, replacing it atomically",
		OPT_PATH(struct options, output_path, "not the name of a file")},
	{CONFINE_OPTION(struct options, confine), .scope = SCANOPTIONS_PASSED_ON},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd), .scope = SCANOPTIONS_OF_SCANS},
};

static void
note_option(void *target, size_t index, const struct opt_given *given)
{
	struct options *options = target;
	unsigned scope = given->spec->scope;

	(void)index;
	if ((scope & SCANOPTIONS_OF_SCANS) != 0 && options->scan_option == NULL)
		options->scan_option = given->name;
	if ((scope & SCANOPTIONS_PASSED_ON) != 0)
		arguments_add_option(&options->scan, given->name, given->value);
}

static const struct opt_tool tool = {
	.name = "nicview",
	.purpose = "Show the NICs of this node, or of scan records, those with problems first.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
	.note = note_option,
};

/* --- table output --- */

/* Return the style for a descriptor. `again`: more tables follow. */
static struct table_style
style_of(int fd, bool again)
{
	struct table_style style = {
		.columns = terminal_columns(fd),
		.colour = terminal_has_colours(fd),
		.redraw = again && terminal_is_capable(fd),
	};
	struct winsize size;

	/* One row less: the cursor ends up below the last line. */
	if (style.redraw && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
		style.rows = size.ws_row - 1u;
	if (style.columns == 0)
		style.columns = TABLE_COLUMNS;
	return style;
}

/* Print the table of a scan. Width: $COLUMNS, else the terminal's, else TABLE_COLUMNS. Colours on a
 * terminal, unless $NO_COLOR is set and not empty (no-color.org) or $TERM is unset or `dumb`. If
 * more scans follow, a capable terminal shows each table in place of the previous one, limited to
 * its rows; otherwise tables follow each other. */
static int
print_table(const struct scan *scan, const struct scanwriter_place *place, FILE *out)
{
	struct table_style style = style_of(place->fd, scan->begin.interval_ms > 0);

	if (place->below && !style.redraw)
		fputc('\n', out);
	return table_print(scan, &style, out);
}

/* --- the run --- */

/* Restrict the process: with a path it reads records, without one it may start ibscan. Return an
 * exit code. */
static int
confine(const struct options *options, const char *path)
{
	char programs[PATH_MAX];
	struct confine confine;
	confine_init(&confine, "nicview", options->confine);
	confine_allow(&confine, path, LANDLOCK_READ);
	if (path == NULL && sibling_directory(programs) == 0)
		confine_allow_starting(&confine, programs, "ibscan");
	confine_allow_beside(&confine, options->output_path, LANDLOCK_KEEP);
	return confine_enter(&confine);
}

/* `path` is the operand or NULL. Return the exit code. */
static int
run(struct options *options, const char *path)
{
	struct metrics *metrics = NULL;

	if (path != NULL && options->scan_option != NULL) {
		diag_error("--%s cannot be combined with records from %s (try '%s --help')",
			options->scan_option, path, diag_name());
		return EXIT_USAGE;
	}
	int status = metrics_open_option(options->metrics_fd, &metrics);
	if (status == 0)
		status = confine(options, path);
	if (status != 0) {
		metrics_close(metrics);
		return status;
	}
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	struct scanwriter *writer = scanwriter_new(print_table, options->output_path);
	if (writer == NULL)
		diag_die(EXIT_OS, "out of memory");
	for (int i = 0; i < diag_verbosity(); i++)
		arguments_add(&options->scan, "-v");
	/* Without options and operand, scan this node on a terminal, and read records from a
	 * pipe. */
	if (path == NULL && (options->scan_option != NULL || isatty(STDIN_FILENO)))
		status = live_run(&options->scan, writer, metrics);
	else
		status = scanwriter_read(writer, path != NULL ? path : "-");
	scanwriter_free(writer);
	metrics_close(metrics);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.confine = confine_default()};

	/* If `ibscan --format table` executed this program, messages begin with `ibscan:`. */
	diag_init(sibling_own_name(argv, "ibscan", tool.name));
	jsonmemory_require();
	/* The table needs GIDs to tell whether a RoCE port can be reached. */
	arguments_add(&options.scan, "ibscan");
	arguments_add_option(&options.scan, "gids", NULL);

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first >= 0)
		status = run(&options, first < argc ? argv[first] : NULL);
	arguments_fini(&options.scan);
	return status;
}
