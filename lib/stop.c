/* stop - catches SIGTERM and SIGINT without losing a request to stop. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stop.h"

#include "num.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static volatile sig_atomic_t requested;

/* Becomes readable on a request. A flag alone is not enough: the signal may arrive between testing
 * it and poll(). */
static int wake_fd = -1;

/* The writing end whose pipe must have a reader. -1: none, or its reader has gone. */
static int lifeline_fd = -1;

static void
on_stop(int signal_number)
{
	(void)signal_number;
	int saved_errno = errno;
	uint64_t one = 1;
	requested = 1;
	ssize_t ignored = write(wake_fd, &one, sizeof one);
	(void)ignored;
	errno = saved_errno;
}

int
stop_catch(void)
{
	wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wake_fd < 0)
		return -1;
	/* SA_RESETHAND: a second signal kills the process even if a reader has stalled. */
	struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)SA_RESETHAND};
	sigemptyset(&action.sa_mask);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	return 0;
}

void
stop_without_reader(int fd)
{
	lifeline_fd = fd;
}

bool
stop_requested(void)
{
	return requested != 0;
}

/* Accept a request that one of the two descriptors reports. Return whether there is one. */
static bool
accept_request(const struct pollfd *wake, const struct pollfd *lifeline)
{
	if (wake->revents != 0) {
		/* Reset the eventfd: a caller that finishes its work first must be able to wait
		 * again. */
		uint64_t ignored;
		ssize_t taken = read(wake_fd, &ignored, sizeof ignored);
		(void)taken;
	}
	if (lifeline->revents != 0) {
		lifeline_fd = -1; /* for the same reason */
		requested = 1;
	}
	return wake->revents != 0 || lifeline->revents != 0;
}

int
stop_poll(struct pollfd *fds, size_t count, uint64_t timeout_ns)
{
	struct pollfd all[STOP_POLL_MAX + 2];
	struct timespec timeout = {.tv_sec = (time_t)(timeout_ns / NUM_NS_PER_S),
		.tv_nsec = (long)(timeout_ns % NUM_NS_PER_S)};

	if (count > STOP_POLL_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (count > 0)
		memcpy(all, fds, count * sizeof *fds);
	all[count] = (struct pollfd){.fd = wake_fd, .events = POLLIN};
	all[count + 1] = (struct pollfd){.fd = lifeline_fd}; /* POLLERR needs no request */
	int ready = ppoll(all, (nfds_t)count + 2, timeout_ns == UINT64_MAX ? NULL : &timeout, NULL);
	if (ready > 0 && accept_request(&all[count], &all[count + 1])) {
		errno = EINTR;
		return -1;
	}
	if (ready > 0)
		memcpy(fds, all, count * sizeof *fds);
	return ready;
}
