/* niccheck - checks this node once: a few scans through the stages of the service, findings, and an
 * exit code.
 *
 *   main.c      wiring, exit
 *   options.c   parses the command line
 *   look.c      one check of the node: runs the stages one after the other
 *   summary.c   pure: events in, findings and a verdict out
 *   lastscan.c  pure: faults that the last scan shows and no event reports
 *   standout.c  pure: notes about error counters far above those of a port's peers
 *   report.c    pure: formats a summary as lines for people, or as a record
 *
 * From the service, in tools/supervisor: pipeline.c (command lines of the stages), stagerun.c (runs
 * a stage once), nodeoptions.c (options that both have) and checklist.c (their --checks). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confine.h"
#include "diag.h"
#include "jsonmemory.h"
#include "look.h"
#include "options.h"
#include "sibling.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

/* Return the exit code, 0 if confined. */
static int
confine(const char *programs, const struct service_options *options)
{
	struct confine confine;
	confine_init(&confine, "niccheck", options->confine);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		confine_allow_starting(&confine, programs, pipeline_plan[id].program);
	return confine_enter(&confine);
}

int
main(int argc, char **argv)
{
	struct options options;
	char programs[PATH_MAX];
	int status;

	/* nic-health-monitor --once executes this program, whose messages then have the service's
	 * name. */
	diag_init(sibling_own_name(argv, "nic-health-monitor", "niccheck"));
	jsonmemory_require();
	/* An ignored SIGCHLD is inherited, and the kernel would then reap the stages before we can
	 * wait for them. */
	signal(SIGCHLD, SIG_DFL);
	/* RLIMIT_FSIZE also limits memfds. With SIGXFSZ ignored the write fails with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(&options, argc, argv, &status) < 0)
		return status;
	if (sibling_directory(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));
	status = confine(programs, &options.service);
	return status != 0 ? status : look_run(programs, &options);
}
