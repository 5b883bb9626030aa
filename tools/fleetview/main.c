/* fleetview - shows the switches, nodes and ports of a fleet with the most faults first.
 *
 *   main.c     options, main loop, output, exit code
 *   reading.c  reads events into a board; shared with fleetpage
 *   board.c    pure: standing conditions and events of the last day
 *   ranks.c    pure: ranks switches, nodes or ports, most faults first
 *   screen.c   pure: prints the ranks as tables
 *
 *   From blastradius: which port is connected to which switch. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "clock.h"
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "reading.h"
#include "screen.h"
#include "stop.h"
#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How often a terminal is redrawn while events may arrive. */
#define REDRAW_NS (2 * NUM_NS_PER_S)

struct options {
	struct reading reading;
	bool is_live; /* redraw while events may arrive */
	uint64_t drawn_ns;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{LAYOUTFILES_OPTION(struct options, reading.files)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "fleetview",
	.purpose = "Show a fleet's active conditions from events on stdin: switches, nodes and "
		   "ports, worst first.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* --- tables --- */

/* Return 0, or -1 with errno. */
static int
draw(struct options *options, uint64_t now_us)
{
	struct winsize size;
	struct screen_style style = {.columns = terminal_columns(STDOUT_FILENO),
		.colour = terminal_has_colours(STDOUT_FILENO),
		.redraw = options->is_live};
	/* One row less: the cursor ends up below the last line. */
	if (style.redraw && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1)
		style.rows = size.ws_row - 1u;
	if (style.columns == 0)
		style.columns = SCREEN_COLUMNS;
	const struct reading *reading = &options->reading;
	if (screen_print(&reading->board, &reading->topology, now_us, &style, stdout) < 0)
		return -1;
	return fflush(stdout) != 0 || ferror(stdout) ? -1 : 0;
}

/* --- the run --- */

static bool
read_line(void *context, const char *text, size_t length)
{
	return reading_line(&((struct options *)context)->reading, text, length);
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	return reading_accept(&((struct options *)context)->reading, intake, record);
}

static int
settle(void *context, uint64_t *patience_ns)
{
	struct options *options = context;
	uint64_t now_ns = clock_monotonic_ns();
	if (!options->is_live)
		return 0;
	*patience_ns = REDRAW_NS;
	reading_look(&options->reading);
	if (options->drawn_ns != 0 && now_ns - options->drawn_ns < REDRAW_NS)
		return 0;
	options->drawn_ns = now_ns;
	return draw(options, clock_realtime_ns() / NUM_NS_PER_US);
}

/* A recording is shown as of its newest event. */
static int
end_input(void *context)
{
	struct options *options = context;
	uint64_t newest_us = options->reading.board.newest_us;
	return draw(options, options->is_live || newest_us == 0
				     ? clock_realtime_ns() / NUM_NS_PER_US
				     : newest_us);
}

/* Return the exit code. */
static int
run(struct options *options)
{
	struct confine confine;
	const struct filter filter = {
		.read = read_line, .accept = accept_record, .settle = settle, .end = end_input};
	confine_init(&confine, "fleetview", options->confine);
	for (size_t i = 0; i < options->reading.files.count; i++)
		confine_allow_beside(&confine, options->reading.files.paths[i], LANDLOCK_READ);
	int status = confine_enter(&confine);
	if (status == 0 && stop_catch() < 0)
		status = diag_io_failure("signals");
	if (status == 0)
		status = reading_begin(&options->reading);
	if (status == 0)
		status = filter_run(&filter, options);
	reading_fini(&options->reading);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.confine = confine_default()};

	diag_init("fleetview");
	jsonmemory_require();
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	options.is_live = terminal_is_capable(STDOUT_FILENO);
	return run(&options);
}
