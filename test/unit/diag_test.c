/* Unit tests of diag: messages for people. */
#include "diag.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes stderr a pipe that keeps each write(2) apart, so that a read tells what one write was. */
static int
pipe_stderr(void)
{
	int ends[2];
	if (pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
		abort();
	close(ends[1]);
	return ends[0];
}

/* The next write to stderr as a text; "" when there is none. */
static const char *
next_write(int pipe)
{
	static char text[8192];
	ssize_t n = read(pipe, text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void
one_line(void)
{
	int pipe = pipe_stderr();
	diag_init("tool");
	CHECK_STR(diag_name(), "tool");
	diag_error("%s: %d", "file", 7);
	CHECK_STR(next_write(pipe), "tool: error: file: 7\n");
	diag_warn("w");
	CHECK_STR(next_write(pipe), "tool: warning: w\n");
	diag_note("n");
	CHECK_STR(next_write(pipe), "tool: note: n\n");
	CHECK_STR(next_write(pipe), "");
	diag_error("%s", "");
	CHECK_STR(next_write(pipe), "tool: error: \n");
}

static void
verbosity(void)
{
	int pipe = pipe_stderr();
	diag_init("t");
	for (int level = 0; level <= 3; level++) {
		check_row("level %d", level);
		diag_set_verbosity(level);
		diag_info("i");
		CHECK_STR(next_write(pipe), level >= 1 ? "t: info: i\n" : "");
		diag_debug("d");
		CHECK_STR(next_write(pipe), level >= 2 ? "t: debug: d\n" : "");
		diag_warn("w");
		CHECK_STR(next_write(pipe), "t: warning: w\n");
	}
}

static void
escapes(void)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{"two\nlines", "two\\x0alines"},
		{"\x1B]0;title\x07", "\\x1b]0;title\\x07"},
		{"\xFFname\xC2\x9B", "\\xffname\\xc2\\x9b"},
		{"K\xC3\xA4se", "K\xC3\xA4se"},
		{"100%", "100%"},
	};
	int pipe = pipe_stderr();
	diag_init("t");
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char expected[100];
		snprintf(expected, sizeof expected, "t: warning: %s\n", rows[i].shown);
		diag_warn("%s", rows[i].text);
		CHECK_STR(next_write(pipe), expected);
	}
}

static void
keeps_errno(void)
{
	char *longer = check_repeat_new('\x01', 5000);
	int pipe = pipe_stderr();
	errno = ENODEV;
	diag_error("a");
	CHECK_INT(errno, ENODEV);
	diag_error("%s", longer);
	CHECK_INT(errno, ENODEV);
	diag_info("not shown");
	CHECK_INT(errno, ENODEV);
	close(pipe);
	/* Also when nobody takes the message. */
	close(STDERR_FILENO);
	errno = ERANGE;
	diag_error("b");
	CHECK_INT(errno, ERANGE);
	free(longer);
}

static void
cuts_long(void)
{
	int pipe = pipe_stderr();
	diag_init("t");
	for (size_t length = 1000; length < 1050; length++) {
		char *text = check_repeat_new('x', length);
		diag_error("%s", text);
		const char *line = next_write(pipe);
		size_t shown = strlen(line) - strlen("t: error: \n");

		check_row("%zu bytes", length);
		CHECK(line[strlen(line) - 1] == '\n');
		if (length <= 1020)
			CHECK_INT((int64_t)shown, (int64_t)length);
		if (shown < length)
			CHECK_STR(line + strlen(line) - 4, "...\n");
		free(text);
	}
}

static void
long_and_escaped(void)
{
	char *text = check_repeat_new('\x02', 100000);
	int pipe = pipe_stderr();
	diag_init("t");
	diag_error("%s", text);
	const char *line = next_write(pipe);
	CHECK_INT((int64_t)check_occurrences(line, "\n"), 1);
	CHECK_HAS(line + strlen(line) - 8, "\\x02...\n");
	CHECK_STR(next_write(pipe), "");
	free(text);
}

static void
long_name(void)
{
	char *name = check_repeat_new('n', 500);
	char *text = check_repeat_new('\x02', 100000);
	check_capture(STDERR_FILENO);
	diag_init(name);
	diag_error("short");
	diag_error("%s", text);
	char *lines = check_captured_new(STDERR_FILENO);
	CHECK_INT((int64_t)check_occurrences(lines, "\n"), 2);
	CHECK_HAS(lines, "short\n");
	CHECK_HAS(lines + strlen(lines) - 8, "\\x02...\n");
	free(lines);
	free(name);
	free(text);
}

static void
dies(void)
{
	int pipe = pipe_stderr();
	diag_init("t");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		diag_die(EXIT_CONFIG, "%s is wrong", "x");
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 78);
	CHECK_STR(next_write(pipe), "t: error: x is wrong\n");
}

static const struct check_test tests[] = {
	{"a message is one line in one write, tool and level first", one_line},
	{"info and debug messages appear only when asked for", verbosity},
	{"control characters and stray bytes are shown, never sent", escapes},
	{"errno is after a message what it was before", keeps_errno},
	{"a long message is cut and says so, a shorter one is whole", cuts_long},
	{"a long message of control characters is still one line in one write", long_and_escaped},
	{"a program's name of any length leaves room for the message", long_name},
	{"dying says why and exits with the code", dies},
};
CHECK_MAIN(tests)
