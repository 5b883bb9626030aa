/* nichist - what a spool of emit's has: events, what stands, dead letters; and events sent again.
 *
 *   main.c          what is to be done, exit
 *   options.c       the command line; where events go to is in emit's delivery.c
 *
 *   to be shown
 *   report.c        what is asked for, printed section by section
 *   table.c         a list as a table: how wide it is, and its rows
 *
 *   to be sent again
 *   replay.c        sends events, and says what has become of them
 *   chosen.c        which events these are
 *   letters.c       the spool's dead letters, found and removed
 *
 *   for both
 *   list.c          which rows of a spool a list has, and in which columns; and its records
 *   spoolview.c     the spool as those see it who only read it
 *
 * replay.c delivers by emit's files, in tools/emit. When emit is asked for what this program does,
 * it executes this program, whose messages then begin with `emit:`, as they always did. Tests:
 * test/history*.bats, test/unit/nichist_*_test.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../emit/confined.h"
#include "../emit/delivery.h"
#include "diag.h"
#include "jsonmemory.h"
#include "options.h"
#include "replay.h"
#include "report.h"
#include "sibling.h"
#include "stop.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

int
main(int argc, char **argv)
{
	static char *const no_inputs[] = {NULL};
	struct options options;
	int status;

	/* emit becomes this program, and its messages are still its own. */
	diag_init(sibling_own_name(argv, "emit", "nichist"));
	jsonmemory_require();
	int first = options_parse(&options, argc, argv, &status);
	/* A sink, or a reader of ours, that goes away is an error of that one, not the end of the
	 * program; so is a file that may grow no further. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* What a sink makes is for its owner and group. */
	umask(umask(077) | 027);
	if (first >= 0)
		status = delivery_start(&options.run);
	if (first >= 0 && status == 0)
		status = confined_enter("nichist", &options.run, options.history.path, no_inputs);
	bool goes_on = first >= 0 && status == 0;
	if (goes_on && options_show(&options))
		status = report_print(&options.history);
	else if (goes_on && stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	else if (goes_on)
		status = replay(&options.run, &options.history, argv + first);
	options_fini(&options);
	return status;
}
