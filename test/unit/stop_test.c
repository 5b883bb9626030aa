/* Unit tests of stop: a stop request is never missed, and a second signal ends the program. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "num.h"
#include "stop.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Send the signal to this process a little later, while it waits. */
static void
send_later(int number)
{
	pid_t self = getpid();
	fflush(NULL);
	if (fork() == 0) {
		usleep(50000);
		kill(self, number);
		_exit(0);
	}
}

static void
check_stop(int number)
{
	CHECK_INT(stop_catch(), 0);
	CHECK(!stop_requested());
	send_later(number);
	CHECK_INT(stop_poll(NULL, 0, 5000 * NUM_NS_PER_MS), -1);
	CHECK_INT(errno, EINTR);
	CHECK(stop_requested());
}

static void
stops_on_term(void)
{
	check_stop(SIGTERM);
}

static void
stops_on_int(void)
{
	check_stop(SIGINT);
}

/* A signal between checking a flag and sleeping would be missed. */
static void
stop_before_waiting(void)
{
	CHECK_INT(stop_catch(), 0);
	kill(getpid(), SIGTERM);
	CHECK_INT(stop_poll(NULL, 0, UINT64_MAX), -1);
	CHECK_INT(errno, EINTR);
	CHECK(stop_requested());
}

/* The shutdown may have to wait, too. */
static void
waits_again(void)
{
	CHECK_INT(stop_catch(), 0);
	kill(getpid(), SIGTERM);
	CHECK_INT(stop_poll(NULL, 0, UINT64_MAX), -1);
	CHECK_INT(stop_poll(NULL, 0, NUM_NS_PER_MS), 0);
	CHECK(stop_requested());
}

static void
waits_for_descriptors_and_time(void)
{
	int ends[2];
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	struct pollfd readable = {.fd = ends[0], .events = POLLIN};
	CHECK_INT(stop_catch(), 0);
	CHECK_INT(stop_poll(&readable, 1, 0), 0);
	CHECK_INT(write(ends[1], "x", 1), 1);
	CHECK_INT(stop_poll(&readable, 1, UINT64_MAX), 1);
	CHECK_INT(readable.revents, POLLIN);
	close(ends[0]);
	close(ends[1]);
}

static void
stops_without_reader(void)
{
	int ends[2];
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	CHECK_INT(stop_catch(), 0);
	stop_without_reader(ends[1]);
	CHECK_INT(stop_poll(NULL, 0, 0), 0);
	CHECK(!stop_requested());
	close(ends[0]);
	CHECK_INT(stop_poll(NULL, 0, UINT64_MAX), -1);
	CHECK_INT(errno, EINTR);
	CHECK(stop_requested());
	/* The shutdown may have to wait. */
	CHECK_INT(stop_poll(NULL, 0, NUM_NS_PER_MS), 0);
	close(ends[1]);
}

/* A second request means not to wait for whatever delays the program. */
static void
second_ends(void)
{
	siginfo_t end = {0};
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		stop_catch();
		kill(getpid(), SIGTERM);
		kill(getpid(), SIGTERM);
		_exit(0);
	}
	CHECK_INT(waitid(P_PID, (id_t)child, &end, WEXITED), 0);
	CHECK_INT(end.si_code, CLD_KILLED);
	CHECK_INT(end.si_status, SIGTERM);
}

static void
too_many(void)
{
	struct pollfd fds[STOP_POLL_MAX + 1] = {{0}};
	CHECK_INT(stop_poll(fds, STOP_POLL_MAX + 1, 0), -1);
	CHECK_INT(errno, EINVAL);
}

static const struct check_test tests[] = {
	{"SIGTERM is a stop request", stops_on_term},
	{"SIGINT is a stop request", stops_on_int},
	{"a stop request before the wait ends it", stop_before_waiting},
	{"after the request waiting works again", waits_again},
	{"stop_poll() waits for descriptors and for time", waits_for_descriptors_and_time},
	{"a pipe that loses its last reader is a stop request", stops_without_reader},
	{"the second signal ends the program", second_ends},
	{"descriptors beyond the limit are refused", too_many},
};
CHECK_MAIN(tests)
