/* Unit tests of emit's fault: the fault points of --kill-at. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/fault.h"

#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *
arm(const char *text)
{
	return fault_accept(NULL, &(struct opt_given){.value = text});
}

static void
parses(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"store", NULL},
		{"send", NULL},
		{"store:1", NULL},
		{"send:18446744073709551615", NULL},
		{"", "known: store, send"},
		{"stor", "known: store, send"},
		{"stores", "known: store, send"},
		{"Store", "known: store, send"},
		{"bogus:3", "known: store, send"},
		{"store:", "not a number from 1"},
		{"store:0", "not a number from 1"},
		{"store:-1", "not a number from 1"},
		{"store:1:1", "not a number from 1"},
		{"send:18446744073709551616", "not a number from 1"},
		{"send: 1", "not a number from 1"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_STR(arm(rows[i].text), rows[i].reason);
	}
}

/* Return how often a process passes the point before it is killed, at most 10. */
static int
passes(const char *text, enum fault_point point)
{
	int status, ends[2];
	char mark;
	int count = 0;
	CHECK(pipe(ends) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		arm(text);
		for (int i = 0; i < 10; i++) {
			fault_pass(point);
			if (write(ends[1], "x", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	CHECK(waitpid(pid, &status, 0) == pid);
	while (read(ends[0], &mark, 1) == 1)
		count++;
	close(ends[0]);
	CHECK_INT(count == 10, WIFEXITED(status));
	CHECK_INT(count < 10, WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	return count;
}

static void
kills(void)
{
	CHECK_INT(passes("store", FAULT_STORE), 0);
	CHECK_INT(passes("store:1", FAULT_STORE), 0);
	CHECK_INT(passes("store:4", FAULT_STORE), 3);
	CHECK_INT(passes("send:2", FAULT_SEND), 1);
	CHECK_INT(passes("send:2", FAULT_STORE), 10);
	CHECK_INT(passes("store:11", FAULT_STORE), 10);
}

static const struct check_test tests[] = {
	{"only a known point, with or without a count, is accepted", parses},
	{"the process is killed at the given pass of the given point", kills},
};
CHECK_MAIN(tests)
