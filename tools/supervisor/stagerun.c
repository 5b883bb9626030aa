/* stagerun - one stage run once: bytes in, bytes out, and a deadline that it cannot miss.
 *
 * What a stage writes is read through pipes and not waited for at its end: a process with a thread that hangs in the kernel
 * keeps its descriptors, so neither end-of-file nor its end may ever come. */
#include "stagerun.h"

#include "clock.h"
#include "line.h"
#include "num.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Far more than the records of a few scans of the largest node. */
#define OUTPUT_MAX_BYTES ((size_t)256 << 20)

/* How long a stage that was killed, or has closed its output, may take to be gone. */
#define REAP_MS 500

/* What has been written when the deadline comes is still read, but not for ever: the stage may be writing all the time. */
#define DRAIN_NS (500 * NUM_NS_PER_MS)

enum { FD_OUT, FD_ERR, FD_N };

struct pipes {
	int in;           /* what the stage reads */
	int fds[FD_N][2]; /* what it writes to; -1: closed */
	int pidfd;
	pid_t pid;
};

/* --- texts --- */

static int
append(struct stagerun_text *text, int fd, bool *at_end)
{
	if (text->capacity - text->length < 2) {
		size_t capacity = text->capacity == 0 ? 65536 : 2 * text->capacity;
		char *grown = realloc(text->bytes, capacity);
		if (grown == NULL)
			return -1;
		text->bytes = grown;
		text->capacity = capacity;
	}
	ssize_t got = read(fd, text->bytes + text->length, text->capacity - text->length - 1);
	if (got < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -1;
	*at_end = got == 0;
	text->length += (size_t)got;
	text->bytes[text->length] = '\0';
	return 0;
}

bool
stagerun_next_line(const struct stagerun_text *text, size_t *at, const char **line, size_t *length)
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

/* Counts the scans that end in whole lines from `*from` on, and moves it to behind the last of these lines. */
static unsigned
count_scan_ends(const struct stagerun_text *text, size_t *from)
{
	unsigned count = 0;
	const char *line = text->bytes + *from, *newline;
	while ((newline = memchr(line, '\n', (size_t)(text->bytes + text->length - line))) !=
		NULL) {
		count += stagerun_is_scan_end(line, (size_t)(newline - line));
		line = newline + 1;
	}
	*from = (size_t)(line - text->bytes);
	return count;
}

/* --- the process --- */

/* A file in memory for stdin: the stage cannot be kept waiting, nor we by a stage that does not read. */
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
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return -1;
}

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
close_pipes(struct pipes *pipes)
{
	int saved_errno = errno;
	close_fd(&pipes->in);
	close_fd(&pipes->pidfd);
	for (int i = 0; i < FD_N; i++) {
		close_fd(&pipes->fds[i][0]);
		close_fd(&pipes->fds[i][1]);
	}
	errno = saved_errno;
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

/* Milliseconds until then, rounded up. */
static int
left_ms(uint64_t deadline_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	return now_ns >= deadline_ns
		       ? 0
		       : (int)((deadline_ns - now_ns + NUM_NS_PER_MS - 1) / NUM_NS_PER_MS);
}

static bool
is_served(const struct stagerun_request *request, unsigned scan_ends)
{
	return request->scan_ends > 0 && scan_ends >= request->scan_ends;
}

/* Reads both outputs to their ends, or to what is wanted, or to the deadline. */
static int
collect(const struct stagerun_request *request, struct pipes *pipes, struct stagerun *run)
{
	struct stagerun_text *texts[FD_N] = {[FD_OUT] = &run->out, [FD_ERR] = &run->err};
	unsigned scan_ends = 0;
	size_t counted = 0;

	while (pipes->fds[FD_OUT][0] >= 0 || pipes->fds[FD_ERR][0] >= 0) {
		struct pollfd polled[FD_N];
		for (int i = 0; i < FD_N; i++)
			polled[i] = (struct pollfd){.fd = pipes->fds[i][0], .events = POLLIN};
		/* When it has served, one more look: it may have said something before. */
		bool served = is_served(request, scan_ends);
		int ready = poll(polled, FD_N, served ? 0 : left_ms(request->deadline_ns));
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
		if (run->out.length + run->err.length > OUTPUT_MAX_BYTES) {
			run->end = STAGERUN_TOO_MUCH;
			return 0;
		}
		if (served)
			break;
		if (request->scan_ends > 0 && run->out.bytes != NULL)
			scan_ends += count_scan_ends(&run->out, &counted);
	}
	run->end = STAGERUN_DONE;
	return 0;
}

/* Waits for its end as long as that can take, unless it hangs in the kernel. */
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
	/* What could still write has served, or is late: nobody waits for it. */
	bool writing = pipes.fds[FD_OUT][0] >= 0 || pipes.fds[FD_ERR][0] >= 0;
	if (pipes.pid > 0)
		reap(&pipes, run, writing);
	close_pipes(&pipes);
	errno = saved_errno;
	return status;
}

void
stagerun_fini(struct stagerun *run)
{
	free(run->out.bytes);
	free(run->err.bytes);
	*run = (struct stagerun){0};
}
