/* nic-health-monitor - runs the pipeline `ibscan | topoclass | ctreval | emit`, and the optional
 * stages beside it, as a supervised service. --once runs niccheck(1) instead.
 *
 *   main.c          wiring, exit
 *   options.c       parses the command line
 *   nodeoptions.c   the options that niccheck(1) has, too
 *   checklist.c     splits the names of --checks into known and unknown ones
 *   sinkwords.c     pure: makes emit's options about sinks from the service's options
 *   settings.c      the part of the configuration that is about the service: sinks, interval
 *   direct.c        pure: parses the environment variables of NVSentinel's direct mode
 *   pipeline.c      the stages, the arguments that each starts with, and the pipes between them
 *
 *   preflight.c     checks before the start that the service has everything it needs
 *   stagerun.c      runs a stage once, with a deadline
 *   places.c        creates a directory for each stage that keeps files
 *   probe.c         checks which files, sockets and ports are usable or used by another service
 *   readiness.c     pure: evaluates the facts that pre-flight has collected
 *   findings.c      pure: the list of findings; evaluates a scan
 *
 *   service.c       the main loop: signals, stages, HTTP and a poll once per interval
 *   keeper.c        starts, restarts, reloads and stops the stages
 *   progress.c      finds stages that have ended or make no progress
 *   stages.c        the processes and the pipes between them
 *   watch.c         pure: decides whether a stage makes progress, when one that ended is restarted,
 *                   and until when all writers have written their events
 *   confcopy.c      keeps the configuration in force; checks a new one in a child process
 *   confined.c      confines the service to the rights that it needs
 *
 *   outside.c       reports to the journal, to systemd and to HTTP clients
 *   health.c        pure: computes /healthz, /readyz and the hourly heartbeat line
 *
 *   httpd.c         the HTTP server, with limits for connections and time
 *   listener.c      opens its listening socket
 *   peer.c          identifies the peer of a connection, and selects the one to drop of too many
 *   answers.c       the HTTP pages, and the service's own metrics
 *   scrape.c        pure: formats all metrics as one text for Prometheus */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"
#include "jsonmemory.h"
#include "options.h"
#include "preflight.h"
#include "service.h"
#include "sibling.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

/* Run pre-flight and, unless --check-config was given, the service. Return the exit code. */
static int
serve(const struct options *options)
{
	char programs[PATH_MAX];
	bool check_only = options->mode == OPTIONS_CHECK;

	if (sibling_directory(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));
	if (!check_only && service_hold_signals() < 0)
		diag_die(EXIT_OS, "cannot block signals: %s", strerror(errno));
	int status = preflight_run(
		programs, &options->service, check_only ? PREFLIGHT_CHECK : PREFLIGHT_START);
	if (status != 0 || check_only)
		return status;
	return service_run(programs, &options->service);
}

int
main(int argc, char **argv)
{
	struct options options;
	int status;

	diag_init("nic-health-monitor");
	jsonmemory_require();
	/* An ignored SIGCHLD is inherited, and the kernel would then reap the stages before we can
	 * wait for them. */
	signal(SIGCHLD, SIG_DFL);
	/* RLIMIT_FSIZE also limits memfds. With SIGXFSZ ignored the write fails with EFBIG. */
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(&options, argc, argv, &status) == 0)
		status = options.mode == OPTIONS_ONCE ? sibling_become("niccheck", &options.check)
						      : serve(&options);
	options_fini(&options);
	return status;
}
