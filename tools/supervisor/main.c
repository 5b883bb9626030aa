/* nic-health-monitor - run the pipeline `ibscan | topoclass | ctreval | emit`, and logmatch into its end, as a supervised service, or once.
 *
 *   main.c      wiring, exit
 *   options.c   the command line
 *   checks.c connector.c sinkwords.c statefiles.c    pure: values of options that mean more than they say
 *   pipeline.c  which stages there are, and what each is started with
 *
 *   preflight.c is everything there that the service needs? Asked before anything is started
 *   probe.c     files and sockets: can they be used?
 *   readiness.c pure: facts in, what is wrong out; watched.c is the part about NICs
 *
 *   service.c   the loop: signals, ends of stages, requests, and a look once per interval
 *   keeper.c    what is done about the stages
 *   stages.c    the processes and the pipes between them
 *   restart.c   pure: how long to wait before a stage is started again
 *   watch.c     pure: whether a stage that runs also gets on
 *   confcopy.c  the configuration that is in force
 *
 *   outside.c   what others are told: the journal, systemd, and whoever asks by HTTP
 *   notify.c    what systemd is told
 *   view.h      how the service is at one moment; from it are made:
 *   health.c    pure: whether it is well, and whether it has begun
 *   heartbeat.c pure: the hourly line that says what is being watched
 *   textbox.c   pure: a text put together in memory of a fixed size
 *
 *   httpd.c     the HTTP server: connections and requests, within bounds of number and time
 *   listener.c  the socket it listens at
 *   answers.c   what is answered to whom
 *   scrape.c    pure: the numbers of all stages, and our own, as one text for Prometheus
 *   self.c      our own, in a page like those of the stages
 *
 *   once.c      one look at the node: the stages one after the other
 *   stagecall.c one stage run once, as the service would start it; stagerun.c does so with any program, and a deadline
 *   summary.c   pure: events in, findings and a verdict out
 *   lastscan.c  pure: findings of what the last scan shows and no event says
 *   report.c    a summary as lines for people, or as a record */
#include "diag.h"
#include "once.h"
#include "options.h"
#include "preflight.h"
#include "service.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The stages are installed beside this program. */
static int
find_programs(char directory[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", directory, PATH_MAX - 1);
	if (n < 0)
		return -1;
	directory[n] = '\0';
	char *slash = strrchr(directory, '/');
	if (slash == NULL) {
		errno = ENOENT;
		return -1;
	}
	*slash = '\0';
	return 0;
}

int
main(int argc, char **argv)
{
	struct options options;
	char programs[PATH_MAX];
	int status;

	diag_init("nic-health-monitor");
	/* Whoever started us may have had SIGCHLD ignored, which is inherited: the ends of our stages would be thrown away before we hear of them. */
	signal(SIGCHLD, SIG_DFL);
	/* Files in memory count too where the size of files is limited, and are then an error that can be named. */
	signal(SIGXFSZ, SIG_IGN);
	if (options_parse(&options, argc, argv, &status) < 0)
		return status;
	if (find_programs(programs) < 0)
		diag_die(EXIT_OS, "/proc/self/exe: %s", strerror(errno));
	if (options.mode == OPTIONS_ONCE)
		return once_run(programs, &options.service, &options.once);
	if (options.mode == OPTIONS_SERVE && service_hold_signals() < 0)
		diag_die(EXIT_OS, "cannot hold signals: %s", strerror(errno));
	status = preflight_run(programs, &options.service,
		options.mode == OPTIONS_CHECK ? PREFLIGHT_CHECK : PREFLIGHT_START);
	if (status != 0 || options.mode == OPTIONS_CHECK)
		return status;
	return service_run(programs, &options.service);
}
