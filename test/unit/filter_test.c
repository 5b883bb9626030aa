/* Unit tests of filter: reading records from stdin, reporting losses, and ending. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"
#include "filter.h"
#include "stop.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The calls of a filter. */
struct told {
	char kinds[64]; /* of the records, in order */
	int lost, ended;
	int fail_take, fail_end; /* errno to fail with, 0: succeed */
};

static int
take(void *context, struct intake *intake, struct intake_record *record)
{
	struct told *told = context;
	CHECK(intake->line_number > 0);
	strncat(told->kinds, rec_kind(record->json), sizeof told->kinds - strlen(told->kinds) - 1);
	json_decref(record->json);
	errno = told->fail_take;
	return told->fail_take == 0 ? 0 : -1;
}

static void
lose(void *context)
{
	((struct told *)context)->lost++;
}

static int
end(void *context)
{
	struct told *told = context;
	told->ended++;
	errno = told->fail_end;
	return told->fail_end == 0 ? 0 : -1;
}

static const struct filter all = {.accept = take, .lose = lose, .end = end};

/* Make `text` the whole of stdin. */
static void
feed_stdin(const char *text)
{
	int ends[2];
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	CHECK_INT(write(ends[1], text, strlen(text)), (int64_t)strlen(text));
	close(ends[1]);
	CHECK_INT(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
}

/* Run the filter, and check its exit code and its messages. */
static void
run(const struct filter *filter, struct told *told, int code, const char *said)
{
	check_capture(STDERR_FILENO);
	int status = filter_run(filter, told);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_INT(status, code);
	CHECK_HAS(messages, said);
	free(messages);
}

static void
takes_all(void)
{
	struct told told = {0};
	feed_stdin("{\"kind\":\"a\"}\nnothing\n{\"kind\":\"b\"}\n{\"kind\":\"c\"}");
	run(&all, &told, 0, "warning: stdin: line 2, byte 7: skipped");
	CHECK_STR(told.kinds, "abc");
	CHECK_INT(told.lost, 1);
	CHECK_INT(told.ended, 1);
}

static void
needs_no_lose(void)
{
	struct told told = {0};
	const struct filter without = {.accept = take, .end = end};
	feed_stdin("nothing\n{\"kind\":\"a\"}\n");
	run(&without, &told, 0, "warning: stdin: line 1, byte 7: skipped");
	CHECK_STR(told.kinds, "a");
}

static void
failing_take(void)
{
	struct told told = {.fail_take = ENOSPC};
	feed_stdin("{\"kind\":\"a\"}\n{\"kind\":\"b\"}\n");
	run(&all, &told, EXIT_IO, "error: stdout: No space left on device");
	CHECK_STR(told.kinds, "a");
	CHECK_INT(told.ended, 0);
}

static void
failing_end(void)
{
	struct told told = {.fail_end = ENOMEM};
	feed_stdin("");
	run(&all, &told, EXIT_OS, "error: out of memory");
	CHECK_INT(told.ended, 1);
}

static void
unreadable_input(void)
{
	struct told told = {0};
	int dir = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_INT(dup2(dir, STDIN_FILENO), STDIN_FILENO);
	close(dir);
	run(&all, &told, EXIT_IO, "error: stdin: Is a directory");
	CHECK_INT(told.ended, 0);
}

/* Replace stdin by a pipe that stays open; return the end to write to. */
static int
open_stdin(void)
{
	int ends[2];
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	CHECK_INT(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	return ends[1];
}

/* Wait until the pipe is empty. */
static void
wait_until_read(int input)
{
	int unread = 1;
	while (ioctl(input, FIONREAD, &unread) == 0 && unread > 0)
		usleep(1000);
}

static void
stops(void)
{
	struct told told = {0};
	int input = open_stdin();
	pid_t self = getpid();

	CHECK_INT(stop_catch(), 0);
	fflush(NULL);
	if (fork() == 0) {
		static const char line[] = "{\"kind\":\"a\"}\n";
		ssize_t ignored = write(input, line, strlen(line));
		(void)ignored;
		wait_until_read(input);
		kill(self, SIGTERM);
		/* The input stays open, so that only the stop request can end the filter. */
		usleep(500000);
		_exit(0);
	}
	run(&all, &told, 0, "");
	CHECK(stop_requested());
	CHECK_STR(told.kinds, "a");
	CHECK_INT(told.ended, 1);
	close(input);
}

static void
stops_before_it_begins(void)
{
	struct told told = {0};
	int input = open_stdin();
	CHECK_INT(stop_catch(), 0);
	kill(getpid(), SIGINT);
	run(&all, &told, 0, "");
	CHECK_STR(told.kinds, "");
	CHECK_INT(told.lost, 0);
	CHECK_INT(told.ended, 1);
	close(input);
}

static void
stop_and_half_a_line(void)
{
	/* The rest of the line may still have come: it is not lost, and no message is printed. */
	struct told told = {0};
	static const char half[] = "{\"kind\":\"a\"}\n{\"kind\":";
	int input = open_stdin();
	pid_t self = getpid();

	CHECK_INT(write(input, half, strlen(half)), (int64_t)strlen(half));
	CHECK_INT(stop_catch(), 0);
	fflush(NULL);
	if (fork() == 0) {
		wait_until_read(input);
		kill(self, SIGTERM);
		_exit(0);
	}
	check_capture(STDERR_FILENO);
	int status = filter_run(&all, &told);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_INT(status, 0);
	CHECK_STR(messages, "");
	CHECK_STR(told.kinds, "a");
	CHECK_INT(told.lost, 0);
	CHECK_INT(told.ended, 1);
	free(messages);
	close(input);
}

static void
failing_end_after_stop(void)
{
	struct told told = {.fail_end = ENOSPC};
	int input = open_stdin();
	CHECK_INT(stop_catch(), 0);
	kill(getpid(), SIGTERM);
	run(&all, &told, EXIT_IO, "error: stdout: No space left on device");
	CHECK_INT(told.ended, 1);
	close(input);
}

static void
ends_with_its_reader(void)
{
	struct told told = {0};
	int input = open_stdin(), ends[2], saved = dup(STDOUT_FILENO);
	CHECK(pipe2(ends, O_CLOEXEC) == 0);
	CHECK_INT(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	close(ends[0]);
	close(ends[1]);
	run(&all, &told, EXIT_IO, "error: stdout: Broken pipe");
	CHECK_INT(told.ended, 0);
	CHECK_INT(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
	close(saved);
	close(input);
}

static void
passes(void)
{
	char text[] = "{ \"kind\":\"x\" , \"n\":1.50 }";
	struct rec_error error;
	struct intake_record record = {.text = text, .length = strlen(text)};
	record.json = rec_parse_new(text, record.length, &error);

	check_capture(STDOUT_FILENO);
	int status = filter_pass(&record);
	char *written = check_captured_new(STDOUT_FILENO);
	CHECK_INT(status, 0);
	CHECK_STR(written, "{ \"kind\":\"x\" , \"n\":1.50 }\n");
	free(written);
}

static const struct check_test tests[] = {
	{"every record is accepted once and in order, every loss reported, and the end called once",
		takes_all},
	{"a filter without a function for losses is allowed", needs_no_lose},
	{"a record that cannot be written ends the run with the reason's exit code", failing_take},
	{"a failing end fails the run", failing_end},
	{"an input that cannot be read ends the run without calling the end", unreadable_input},
	{"a stop request ends the run, and the end is still called", stops},
	{"a stop request before the run counts, too", stops_before_it_begins},
	{"half a line at a stop request is no loss", stop_and_half_a_line},
	{"a failing end after a stop request fails the run", failing_end_after_stop},
	{"a closed stdout ends the run, even without input", ends_with_its_reader},
	{"a record is passed on byte for byte", passes},
};
CHECK_MAIN(tests)
