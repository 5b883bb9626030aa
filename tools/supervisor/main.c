/* nic-health-monitor - run the pipeline `ibscan | topoclass | ctreval | emit`, and logmatch into
 * its end, as a supervised service. --once is niccheck(1)'s.
 *
 *   main.c      wiring, exit
 *   options.c   the command line; nodeoptions.c has what niccheck(1) takes, too, and checklist.c
 *               sorts the names of --checks
 *   sinkwords.c pure: emit's options about sinks, put together from ours
 *   settings.c  what of the configuration is about the service: sinks, interval
 *   direct.c    pure: the same of NVSentinel's direct mode, from the environment
 *   pipeline.c  which stages there are, and what each is started with
 *
 *   preflight.c before anything is started: is everything there that the service needs?
 *   stagerun.c  one stage run once, as the service would start it, with a deadline
 *   places.c    a directory for each stage that keeps something
 *   probe.c     files and sockets: can they be used, or is it another service that has them?
 *   readiness.c pure: facts in, what is wrong out
 *   findings.c  pure: what comes of it, and what a scan shows
 *
 *   service.c   the loop: signals, ends of stages, requests, and a look once per interval
 *   keeper.c    what becomes of the stages
 *   stages.c    the processes and the pipes between them
 *   watch.c     pure: whether a running stage makes progress, when one that ended is started again,
 *               and up to which moment all writers have written their events
 *   confcopy.c  the configuration that is in force; and the one that is to come into force, read
 *               and tried in a process of its own
 *
 *   confined.c  what it keeps when it gives up all that it does not need
 *
 *   outside.c   what others are told: the journal, systemd, and whoever asks by HTTP
 *   health.c    pure: how the service is at one moment: whether it is well, whether it has begun,
 *               and the hourly line that says so
 *
 *   httpd.c     the HTTP server: connections and requests, within bounds of number and time
 *   listener.c  the socket that it listens at
 *   peer.c      who is at the other end of a connection, and which one is dropped of too many
 *   answers.c   the answers of HTTP, and our own metrics, in a page like those of the stages
 *   scrape.c    pure: the metrics of all stages, and our own, as one text for Prometheus */
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

/* Checks what the service needs and, unless that is all that was asked for, runs it. */
static int
serve(const struct options *options)
{
	char programs[PATH_MAX];
	bool check_only = options->mode == OPTIONS_CHECK;

	if (sibling_directory(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));
	if (!check_only && service_hold_signals() < 0)
		diag_die(EXIT_OS, "cannot hold signals: %s", strerror(errno));
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
