/* stagerun - runs a stage once as the service would start it, with a deadline, and collects its
 * output.
 *
 * It never waits for end-of-file or for the stage's end without a limit: a thread that hangs in the
 * kernel keeps the descriptors open, so neither may ever come. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stagerun.h"

#include "clock.h"
#include "fd.h"
#include "line.h"
#include "num.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Much more than a few scans of the largest node. */
#define OUTPUT_MAX_BYTES ((size_t)256 << 20)

/* The capacity of a pipe. */
#define READ_BYTES ((size_t)64 << 10)

/* Time for a stage to end after it was killed or closed its output. */
#define REAP_MS 500

/* After the deadline, read output that was already written for at most this long: the stage may
 * write all the time. */
#define DRAIN_NS (500 * NUM_NS_PER_MS)

enum { FD_OUT, FD_ERR, FD_N };

struct pipes {
	int in;           /* stdin of the stage */
	int fds[FD_N][2]; /* its stdout and stderr; -1: closed */
	int pidfd;
	pid_t pid;
};

/* --- texts --- */

static int
append(struct strbuf *text, int fd, bool *at_end)
{
	char *room = strbuf_reserve(text, READ_BYTES);
	if (room == NULL)
		return -1;
	ssize_t got = read(fd, room, READ_BYTES);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	*at_end = got == 0;
	strbuf_wrote(text, (size_t)got);
	return 0;
}

bool
stagerun_next_line(const struct strbuf *text, size_t *at, const char **line, size_t *length)
{
	if (*at >= text->length)
		return false;
	*line = text->bytes + *at;
	const char *newline = memchr(*line, '\n', text->length - *at);
	*length = newline != NULL ? (size_t)(newline - *line) : text->length - *at;
	*at += *length + (newline != NULL ? 1 : 0);
	return true;
}

bool
stagerun_is_scan_end(const char *line, size_t length)
{
	static const char end[] = "{\"kind\":\"scan.end\",";
	return length >= sizeof end - 1 && memcmp(line, end, sizeof end - 1) == 0;
}

/* Count the scans that end in complete lines from `*from` on, and move `*from` past the last
 * complete line. */
static void
count_scan_ends(struct stagerun *run, size_t *from)
{
	const struct strbuf *text = &run->out;
	const char *line = text->bytes + *from, *newline;
	while ((newline = memchr(line, '\n', (size_t)(text->bytes + text->length - line))) !=
		NULL) {
		bool is_end = stagerun_is_scan_end(line, (size_t)(newline - line));
		line = newline + 1;
		if (!is_end)
			continue;
		run->scan_ends++;
		run->scans_length = (size_t)(line - text->bytes);
	}
	*from = (size_t)(line - text->bytes);
}

/* --- the process --- */

/* Return a memfd as stdin: the stage never waits for input, and the service never waits for a stage
 * that does not read. */
static int
open_input(const struct stagerun_request *request)
{
	if (request->input == NULL)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fd = memfd_create("input", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	if (line_write(fd, request->input, request->input_length) == 0 &&
		lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	fd_close(fd);
	return -1;
}

static void
close_fd(int *fd)
{
	fd_close(*fd);
	*fd = -1;
}

static void
close_pipes(struct pipes *pipes)
{
	close_fd(&pipes->in);
	close_fd(&pipes->pidfd);
	for (int i = 0; i < FD_N; i++) {
		close_fd(&pipes->fds[i][0]);
		close_fd(&pipes->fds[i][1]);
	}
}

static int
start(const struct stagerun_request *request, struct pipes *pipes)
{
	pipes->in = open_input(request);
	if (pipes->in < 0 || pipe2(pipes->fds[FD_OUT], O_CLOEXEC) < 0 ||
		pipe2(pipes->fds[FD_ERR], O_CLOEXEC) < 0)
		return -1;
	const struct proc_command command = {
		.path = request->path,
		.argv = request->argv,
		.environment = request->environment,
		.in = pipes->in,
		.out = pipes->fds[FD_OUT][1],
		.err = pipes->fds[FD_ERR][1],
	};
	pipes->pid = proc_spawn(&command, &pipes->pidfd);
	if (pipes->pid < 0)
		return -1;
	close_fd(&pipes->in);
	close_fd(&pipes->fds[FD_OUT][1]);
	close_fd(&pipes->fds[FD_ERR][1]);
	return 0;
}

/* Read both outputs until they end, the requested scans are there, or the deadline passes. Return
 * 0, or -1 with errno. */
static int
collect(const struct stagerun_request *request, struct pipes *pipes, struct stagerun *run)
{
	struct strbuf *texts[FD_N] = {[FD_OUT] = &run->out, [FD_ERR] = &run->err};
	size_t counted = 0;

	while (pipes->fds[FD_OUT][0] >= 0 || pipes->fds[FD_ERR][0] >= 0) {
		struct pollfd polled[FD_N];
		for (int i = 0; i < FD_N; i++)
			polled[i] = (struct pollfd){.fd = pipes->fds[i][0], .events = POLLIN};
		/* After the last scan poll once more: the stage may have printed a message before
		 * it. */
		bool served = request->scan_ends > 0 && run->scan_ends >= request->scan_ends;
		int ready = poll(polled, FD_N, served ? 0 : clock_left_ms(request->deadline_ns));
		if (ready < 0 && errno != EINTR)
			return -1;
		if (!served &&
			(ready == 0 || clock_monotonic_ns() >= request->deadline_ns + DRAIN_NS)) {
			run->end = STAGERUN_LATE;
			return 0;
		}
		for (int i = 0; ready > 0 && i < FD_N; i++) {
			bool at_end = false;
			if (polled[i].revents == 0)
				continue;
			if (append(texts[i], polled[i].fd, &at_end) < 0)
				return -1;
			if (at_end)
				close_fd(&pipes->fds[i][0]);
		}
		if (request->scan_ends > 0 && run->out.bytes != NULL)
			count_scan_ends(run, &counted);
		if (run->out.length + run->err.length > OUTPUT_MAX_BYTES) {
			run->end = STAGERUN_TOO_MUCH;
			return 0;
		}
		if (served)
			break;
	}
	run->end = STAGERUN_DONE;
	return 0;
}

/* Reap the process within a time limit; kill it if `killed` or if it does not end by itself. One
 * that hangs in the kernel stays. */
static void
reap(const struct pipes *pipes, struct stagerun *run, bool killed)
{
	if (killed)
		kill(-pipes->pid, SIGKILL);
	struct pollfd end = {.fd = pipes->pidfd, .events = POLLIN};
	if (poll(&end, 1, REAP_MS) <= 0 && !killed) {
		reap(pipes, run, true);
		return;
	}
	run->ended = waitid(P_PIDFD, (id_t)pipes->pidfd, &run->info, WEXITED | WNOHANG) == 0 &&
		     run->info.si_pid != 0;
}

int
stagerun_run(const struct stagerun_request *request, struct stagerun *run)
{
	struct pipes pipes = {.in = -1, .fds = {{-1, -1}, {-1, -1}}, .pidfd = -1, .pid = -1};

	*run = (struct stagerun){0};
	int status = start(request, &pipes);
	if (status == 0)
		status = collect(request, &pipes, run);
	int saved_errno = errno;
	/* A process that still has an output open is done or late: kill it. */
	bool writing = pipes.fds[FD_OUT][0] >= 0 || pipes.fds[FD_ERR][0] >= 0;
	if (pipes.pid > 0)
		reap(&pipes, run, writing);
	close_pipes(&pipes);
	errno = saved_errno;
	return status;
}

int
stagerun_run_stage(const struct stagerun_stage *stage, struct stagerun *run)
{
	char path[PATH_MAX];
	struct arguments arguments =
		pipeline_arguments_new(stage->id, stage->options, stage->extra);
	char *const *argv = arguments_argv(&arguments);
	char **environment = pipeline_environment_new(stage->id, stage->options, environ);
	int status = -1;
	*run = (struct stagerun){0};
	snprintf(path, sizeof path, "%s/%s", stage->programs, pipeline_plan[stage->id].program);
	const struct stagerun_request request = {
		.path = path,
		.argv = argv,
		.environment = environment,
		.input = stage->input != NULL ? stage->input->bytes : NULL,
		.input_length = stage->input != NULL ? stage->input->length : 0,
		.scan_ends = stage->scan_ends,
		.deadline_ns = clock_monotonic_ns() + stage->time_ns,
	};
	if (argv != NULL && environment != NULL)
		status = stagerun_run(&request, run);
	else
		errno = ENOMEM;
	arguments_fini(&arguments);
	free(environment);
	return status;
}

bool
stagerun_was_refused(const struct stagerun *run)
{
	return run->ended && proc_end_is_permanent(&run->info);
}

void
stagerun_describe_trouble(const struct stagerun *run, char *text, size_t size)
{
	char end[64];
	*text = '\0';
	if (run->end == STAGERUN_LATE)
		snprintf(text, size, "did not finish in time");
	else if (run->end == STAGERUN_TOO_MUCH)
		snprintf(text, size, "wrote too much");
	else if (run->ended && (run->info.si_code != CLD_EXITED || run->info.si_status != 0))
		snprintf(text, size, "%s", proc_describe_end(&run->info, end, sizeof end));
}

void
stagerun_fini(struct stagerun *run)
{
	strbuf_fini(&run->out);
	strbuf_fini(&run->err);
	*run = (struct stagerun){0};
}
