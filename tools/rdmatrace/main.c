/* rdmatrace - prints the kernel's trace events of RDMA: errors of all processes' queues, and
 * connections.
 *
 *   main.c      options, loop from trace_pipe to stdout, exit code
 *   instance.c  the tracefs instance
 *   events.c    enables its events, again when a module was reloaded
 *   probe.c     pure: formats probes
 *   layout.c    offsets of the struct members that probes read */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "confine.h"
#include "diag.h"
#include "events.h"
#include "instance.h"
#include "line.h"
#include "num.h"
#include "opt.h"
#include "stop.h"
#include "sysfs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Interval of the checks for reloaded modules. */
#define LOOK_NS NUM_NS_PER_S

struct options {
	const char *tracefs, *sysfs_root;
	enum confine_mode confine;
};

static const struct opt_spec specs[] = {
	{"tracefs", "DIR", "where tracefs is mounted (/sys/kernel/tracing)",
		OPT_TEXT(struct options, tracefs)},
	{"sysfs-root", "DIR", "look for modules and BTF below DIR (/sys)",
		OPT_TEXT(struct options, sysfs_root)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "rdmatrace",
	.purpose = "Write the kernel's trace of RDMA queues and connections to stdout.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

static int
give_up(const struct options *options)
{
	char path[PATH_MAX];
	struct confine confine;
	confine_init(&confine, "rdmatrace", options->confine);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	(void)snprintf(path, sizeof path, "%s/instances", options->tracefs);
	confine_allow(&confine, path, LANDLOCK_EMPTY);
	(void)snprintf(path, sizeof path, "%s/kprobe_events", options->tracefs);
	confine_allow(&confine, path, LANDLOCK_KEEP);
	return confine_enter(&confine);
}

/* Bytes that were read and not written yet. A pipe that is ready takes PIPE_BUF bytes without
 * blocking. */
struct chunk {
	char bytes[PIPE_BUF];
	size_t length;
};

/* Wait for at most LOOK_NS, then read or write what is ready. Return 0, or the exit code. */
static int
carry(int pipe, struct chunk *chunk)
{
	bool is_full = chunk->length > 0;
	struct pollfd fds[] = {
		{.fd = is_full ? -1 : pipe, .events = POLLIN},
		{.fd = STDOUT_FILENO, .events = is_full ? POLLOUT : 0},
	};
	if (stop_poll(fds, 2, LOOK_NS) <= 0)
		return 0;
	if ((fds[1].revents & POLLERR) != 0) {
		errno = EPIPE;
		return diag_io_failure("stdout");
	}
	if (is_full) {
		if (line_write(STDOUT_FILENO, chunk->bytes, chunk->length) < 0)
			return diag_io_failure("stdout");
		chunk->length = 0;
		return 0;
	}
	ssize_t n = read(pipe, chunk->bytes, sizeof chunk->bytes);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return diag_io_failure("trace_pipe");
	chunk->length = n > 0 ? (size_t)n : 0;
	return 0;
}

/* Return the exit code. */
static int
trace(const struct options *options, int sysfs_root, const struct instance *instance)
{
	struct events events;
	struct chunk chunk = {.length = 0};
	int status = give_up(options);
	if (status != 0)
		return status;
	events_init(&events, instance, options->sysfs_root, sysfs_root);
	while (status == 0 && !stop_requested()) {
		events_look(&events);
		status = carry(instance->pipe, &chunk);
	}
	events_end(&events);
	return status;
}

/* Return the exit code. */
static int
run(const struct options *options)
{
	struct instance instance;
	int sysfs_root = sysfs_open_root(options->sysfs_root);
	if (sysfs_root < 0)
		return diag_open_failure(options->sysfs_root);
	int status = instance_open(&instance, options->tracefs);
	if (status == 0)
		status = trace(options, sysfs_root, &instance);
	instance_remove(&instance);
	close(sysfs_root);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.tracefs = "/sys/kernel/tracing",
		.sysfs_root = "/sys",
		.confine = confine_default()};

	diag_init("rdmatrace");
	int status;
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	/* With SIGPIPE ignored, a closed stdout is a write error, and the instance is removed. */
	signal(SIGPIPE, SIG_IGN);
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	return run(&options);
}
