/* live - scans this node with a child process, ibscan. */
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
	struct metrics *metrics; /* NULL: no metrics page */
	pid_t pid;
	int pidfd, output; /* of ibscan */
	bool stopping;     /* it got the stop signal */
};

/* --- output of ibscan --- */

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

/* Send the signal once: a second one would end ibscan without finishing its scan. */
static void
stop(void *context)
{
	struct live *live = context;
	if (!live->stopping)
		kill(live->pid, SIGTERM);
	live->stopping = true;
}

/* --- the process --- */

/* Return 0, or -1 with errno. */
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

/* Wait for ibscan to exit. Return the exit code of this program. */
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
	/* 126 and above: it could not be executed, and proc_spawn() has reported that. */
	if (info.si_code == CLD_EXITED)
		return info.si_status < 126 ? info.si_status : EXIT_OS;
	/* The signal may have arrived before ibscan installed its handler. */
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
	/* On failure do not wait: ibscan ends with this program. */
	int code = status == 0 ? finish(&live) : status;
	close(live.pidfd);
	return code;
}
