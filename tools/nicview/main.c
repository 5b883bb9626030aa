/* nicview - a node's NICs for people: what is wrong comes first.
 *
 *   main.c         options, wiring, where a table goes, exit
 *   live.c         scans of this node, by an ibscan of our own
 *
 *   table.c        pure: a scan as a table for people
 *   headline.c     pure: its first line
 *   rows.c         pure: its rows, what is wrong with each, in which order
 *   cells.c        pure: the texts of the columns
 *   remarks.c      pure: the last column, and the error counters in it
 *   layout.c       pure: how wide the columns are, which are left out
 *
 *   Of ibscan:
 *   scanoptions.c  the options that say what is scanned, and how
 *
 *   Of lib:
 *   scanwriter.c   scan records from a file or a pipe, and a scan at a time as a text
 *   evidence.c     pure: what other cards say about a port that is not up */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../ibscan/scanoptions.h"
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
	struct arguments scan;   /* what ibscan is told */
	const char *scan_option; /* the first that asks for a scan; NULL: none does */
	const char *output_path; /* NULL: stdout */
	const char *metrics_fd;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	OPT_FOREIGN_TABLE(scanoptions_table, SCANOPTIONS_N),
	{"output", "FILE", "replace FILE, as a whole, by each table",
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
	.purpose = "Show a node's NICs, what is wrong with them first: of scan records, or of "
		   "this node.",
	.operands = "[FILE|-]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.note = note_option,
};

/* --- where a table goes --- */

/* What the place can show. With `again` there will be more tables. */
static struct table_style
style_of(int fd, bool again)
{
	struct table_style style = {
		.columns = terminal_columns(fd),
		.colour = terminal_has_colours(fd),
		.redraw = again && terminal_is_capable(fd),
	};
	struct winsize size;

	/* The cursor comes to stand on the line below the last one. */
	if (style.redraw && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
		style.rows = size.ws_row - 1u;
	if (style.columns == 0)
		style.columns = TABLE_COLUMNS;
	return style;
}

/* Makes the table of a scan. Width: $COLUMNS, else the terminal's, else TABLE_COLUMNS. Colours on a
 * terminal, unless $NO_COLOR is set and not empty (no-color.org) or $TERM is missing or `dumb`.
 * Where the scan says that there will be more, on a terminal that can do it each table takes the
 * place of the one before, and as many rows as there are; elsewhere they stand below each other. */
static int
print_table(const struct scan *scan, const struct scanwriter_place *place, FILE *out)
{
	struct table_style style = style_of(place->fd, scan->begin.interval_ms > 0);

	if (place->below && !style.redraw)
		fputc('\n', out);
	return table_print(scan, &style, out);
}

/* --- the run --- */

/* With a path records are read; else, perhaps, ibscan is started. Returns an exit code. */
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

/* `path` is the operand, or NULL. Returns the exit code. */
static int
run(struct options *options, const char *path)
{
	struct metrics *metrics = NULL;

	if (path != NULL && options->scan_option != NULL) {
		diag_error("--%s does not go with records from %s (try '%s --help')",
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
	/* Who types the name alone wants to see this node; in a pipe there is somebody to read. */
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

	/* The messages of `ibscan --format table`, which becomes this program, are ibscan's. */
	diag_init(sibling_own_name(argv, "ibscan", tool.name));
	jsonmemory_require();
	/* A table says of a RoCE port whether anybody can connect to it. */
	arguments_add(&options.scan, "ibscan");
	arguments_add_option(&options.scan, "gids", NULL);

	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first >= 0)
		status = run(&options, first < argc ? argv[first] : NULL);
	arguments_fini(&options.scan);
	return status;
}
