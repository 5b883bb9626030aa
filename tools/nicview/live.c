/* live - scans of this node, by an ibscan of our own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "live.h"

#include "diag.h"
#include "fd.h"
#include "filter.h"
#include "proc.h"
#include "scanwriter.h"
#include "sibling.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "ibscan"

struct live {
	struct scanwriter *writer;
	struct metrics *metrics; /* nullable */
	pid_t pid;
	int pidfd, output; /* of ibscan */
	bool stopping;     /* it was asked to end */
};

/* --- what it writes --- */

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct live *live = context;
	uint64_t before = scanwriter_count(live->writer);

	if (scanwriter_consume(live->writer, intake, record) < 0)
		return -1;
	if (scanwriter_count(live->writer) > before)
		metrics_tick(live->metrics);
	return 0;
}

static void
lose(void *context)
{
	const struct live *live = context;
	scanwriter_lose(live->writer);
}

/* Once: a second request would end it at once. */
static void
stop(void *context)
{
	struct live *live = context;
	if (!live->stopping)
		kill(live->pid, SIGTERM);
	live->stopping = true;
}

/* --- the process --- */

/* 0, or -1 with errno. */
static int
start(struct live *live, char *const *argv)
{
	char path[SIBLING_PATH_SIZE];
	int ends[2];

	if (sibling_path(PROGRAM, path) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	const struct proc_command command = {
		.path = path, .argv = argv, .in = STDIN_FILENO, .out = ends[1]};
	live->pid = proc_spawn(&command, &live->pidfd);
	fd_close(ends[1]);
	live->output = ends[0];
	if (live->pid >= 0)
		return 0;
	fd_close(ends[0]);
	return -1;
}

/* Waits for its end. Returns the exit code that this program ends with. */
static int
finish(const struct live *live)
{
	siginfo_t info = {0};
	char text[64];

	while (waitid(P_PIDFD, (id_t)live->pidfd, &info, WEXITED) < 0) {
		if (errno != EINTR) {
			diag_error("%s: %s", PROGRAM, strerror(errno));
			return EXIT_OS;
		}
	}
	/* From 126 on it could not be run, which proc_spawn() has said. */
	if (info.si_code == CLD_EXITED)
		return info.si_status < 126 ? info.si_status : EXIT_OS;
	/* It may have been asked before it was ready to hear it. */
	if (live->stopping && info.si_status == SIGTERM)
		return 0;
	diag_error("%s: %s", PROGRAM, proc_describe_end(&info, text, sizeof text));
	return EXIT_OS;
}

int
live_run(const struct arguments *arguments, struct scanwriter *writer, struct metrics *metrics)
{
	struct live live = {.writer = writer, .metrics = metrics};
	const struct filter filter = {
		.accept = accept_record,
		.lose = lose,
		.stop = stop,
		.output_name = scanwriter_name(writer),
	};

	char *const *argv = arguments_argv(arguments);
	if (argv == NULL)
		errno = ENOMEM;
	if (argv == NULL || start(&live, argv) < 0) {
		diag_error("%s cannot be started: %s", PROGRAM, strerror(errno));
		return EXIT_OS;
	}
	int status = filter_run_file(&filter, &live, live.output, PROGRAM);
	close(live.output);
	/* Else it ends with this program. */
	int code = status == 0 ? finish(&live) : status;
	close(live.pidfd);
	return code;
}
