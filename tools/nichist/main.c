/* nichist - shows the events, standing conditions and dead letters of emit's spool, and sends
 * events again.
 *
 *   main.c          chooses between showing and sending, exit code
 *   options.c       parses the command line; emit's delivery.c parses the sinks
 *
 *   showing:
 *   report.c        prints the requested sections
 *   table.c         prints a list as a table
 *
 *   sending again:
 *   replay.c        sends events and reports the results
 *   chosen.c        selects the events
 *   letters.c       reads and removes the spool's dead letters
 *
 *   both:
 *   list.c          the lists of a spool as SQL: rows, columns, records
 *   spoolview.c     read-only access to a spool
 *
 * replay.c delivers with emit's files in tools/emit. `emit` executes this program when it is given
 * one of its options; messages then begin with `emit:`. Tests: test/history*.bats,
 * test/unit/nichist_*_test.c. */
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

	/* If emit executed this program, messages begin with `emit:`. */
	diag_init(sibling_own_name(argv, "emit", "nichist"));
	jsonmemory_require();
	int first = options_parse(&options, argc, argv, &status);
	/* A closed sink or stdout must fail with EPIPE and a full file with EFBIG instead of
	 * killing the process. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	/* Files that a sink creates are for their owner and group only. */
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
