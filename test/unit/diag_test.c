/* Unit tests of diag: messages to stderr. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"

#include "check.h"
#include "clock.h"
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Replace stderr by a pipe that keeps each write(2) apart, so that a read returns exactly one
 * write. */
static int
pipe_stderr(void)
{
	int ends[2];
	if (pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
		abort();
	close(ends[1]);
	return ends[0];
}

/* Return the next write to stderr as text, or "" if there is none. */
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
	/* Also when the message cannot be written. */
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

/* --- a reader that stalls, or is gone --- */

/* How many messages a stalled reader misses. Together they may wait for less time than a single one
 * would without a limit. */
#define MISSED 200
#define MISSED_MOST_NS (20 * NUM_NS_PER_S)

/* How stderr is opened; `later` is for the check behind diag_init(). */
struct reader {
	const char *name;
	int (*open)(int ends[2]);
	bool later; /* stderr becomes this only after diag_init() */
};

static int
open_pipe(int ends[2])
{
	return pipe(ends);
}

static int
open_terminal(int ends[2])
{
	if (openpty(&ends[0], &ends[1], NULL, NULL, NULL) < 0)
		return -1;
	/* No echo, and a line end is one character. */
	struct termios raw;
	tcgetattr(ends[1], &raw);
	cfmakeraw(&raw);
	return tcsetattr(ends[1], TCSANOW, &raw);
}

static int
open_stream(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int
open_packets(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends);
}

static const struct reader readers[] = {
	{"a pipe", open_pipe, false},
	{"a terminal", open_terminal, false},
	{"a stream socket", open_stream, false},
	{"a packet socket", open_packets, false},
	{"a pipe opened later", open_pipe, true},
	{"a terminal opened later", open_terminal, true},
	{"a socket opened later", open_stream, true},
};

/* Make it stderr; return the reader's end. */
static int
become_stderr(const struct reader *reader)
{
	int ends[2];
	check_row("%s", reader->name);
	if (reader->later)
		diag_init("t");
	if (reader->open(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
		abort();
	close(ends[1]);
	if (!reader->later)
		diag_init("t");
	return ends[0];
}

/* Return whatever can be read by now, to free(). */
static char *
drained_new(int fd)
{
	size_t capacity = (size_t)1 << 20, length = 0;
	char *text = malloc(capacity + 1);
	if (text == NULL || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		abort();
	/* A terminal delivers its data a moment later. */
	struct pollfd input = {.fd = fd, .events = POLLIN};
	while (length < capacity && poll(&input, 1, 300) > 0) {
		ssize_t n = read(fd, text + length, capacity - length);
		if (n <= 0)
			break;
		length += (size_t)n;
	}
	text[length] = '\0';
	return text;
}

/* Write messages until one has not arrived. */
static void
fill_up(void)
{
	char *text = check_repeat_new('x', 1000);
	for (int i = 0; i < 1000; i++)
		diag_error("%s", text);
	free(text);
}

static void
stalled(void)
{
	for (size_t i = 0; i < CHECK_COUNT(readers); i++) {
		int fd = become_stderr(&readers[i]);
		/* Other programs that share stderr rely on its flags. */
		int flags = fcntl(STDERR_FILENO, F_GETFL);
		uint64_t begun_ns = clock_monotonic_ns();
		fill_up();
		for (int n = 0; n < MISSED; n++)
			diag_warn("missed");
		CHECK(clock_monotonic_ns() - begun_ns < MISSED_MOST_NS);
		CHECK_INT(fcntl(STDERR_FILENO, F_GETFL), flags);

		char *before = drained_new(fd);
		CHECK_INT((int64_t)check_occurrences(before, "missed"), 0);
		size_t arrived = check_occurrences(before, "t: error: xxx");
		CHECK(arrived > 0 && arrived < 1000);
		diag_note("there again");
		diag_note("and again");
		char *after = drained_new(fd);
		char expected[300];
		snprintf(expected, sizeof expected,
			"t: warning: messages lost here because stderr did not accept them: "
			"%zu\n"
			"t: note: there again\nt: note: and again\n",
			1000 + MISSED - arrived +
				(strchr("\n", before[strlen(before) - 1]) == NULL));
		CHECK_HAS(after, expected);
		free(before);
		free(after);
		close(fd);
	}
}

static void
caught_up(void)
{
	int fd = become_stderr(&readers[0]);
	fill_up();
	diag_catch_up();
	free(drained_new(fd));
	diag_catch_up();
	char *said = drained_new(fd);
	CHECK_INT((int64_t)check_occurrences(said, "lost here because"), 1);
	free(said);
	diag_catch_up();
	said = drained_new(fd);
	CHECK_STR(said, "");
	free(said);
}

static void
gone(void)
{
	for (size_t i = 0; i < CHECK_COUNT(readers); i++) {
		int fd = become_stderr(&readers[i]);
		fflush(NULL);
		pid_t pid = fork();
		if (pid == 0) {
			sigset_t pending;
			signal(SIGPIPE, SIG_DFL);
			signal(SIGHUP, SIG_IGN);
			close(fd);
			diag_error("nobody reads this");
			diag_catch_up();
			sigpending(&pending);
			_exit(sigismember(&pending, SIGPIPE) == 0 ? 42 : 43);
		}
		/* The other end is open in one process only, as a reader's is. */
		close(fd);
		int status = 0;
		CHECK(waitpid(pid, &status, 0) == pid);
		CHECK(WIFEXITED(status));
		CHECK_INT(WEXITSTATUS(status), 42);
	}
}

static void
slow(void)
{
	int ends[2];
	if (pipe(ends) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
		abort();
	close(ends[1]);
	diag_init("t");
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		/* less(1) or a terminal reads more than this in a millisecond. */
		char some[4096];
		size_t lines = 0;
		ssize_t n;
		close(STDERR_FILENO);
		while ((n = read(ends[0], some, sizeof some)) > 0) {
			for (ssize_t i = 0; i < n; i++)
				lines += some[i] == '\n';
			usleep(1000);
			if (lines == 1000)
				_exit(0);
		}
		_exit(1);
	}
	fill_up();
	close(STDERR_FILENO);
	diag_init("t");
	int status = 0;
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void
relays(void)
{
	int pipe = pipe_stderr();
	diag_init("t");
	diag_relay("ibscan: error: as it is\x1B[m");
	CHECK_STR(next_write(pipe), "ibscan: error: as it is\\x1b[m\n");
	char *text = check_repeat_new('\x02', 100000);
	diag_relay(text);
	const char *line = next_write(pipe);
	CHECK_INT((int64_t)check_occurrences(line, "\n"), 1);
	CHECK_STR(next_write(pipe), "");
	free(text);
}

static void
open_codes(void)
{
	CHECK_INT(diag_open_code(ENOENT), EXIT_NO_INPUT);
	CHECK_INT(diag_open_code(ENOTDIR), EXIT_NO_INPUT);
	CHECK_INT(diag_open_code(EACCES), EXIT_NO_PERMISSION);
	CHECK_INT(diag_open_code(EMFILE), EXIT_OS);
	CHECK_INT(diag_open_code(ENFILE), EXIT_OS);
	CHECK_INT(diag_open_code(ENOMEM), EXIT_OS);
	CHECK_INT(diag_open_code(EIO), EXIT_IO);
}

static const struct check_test tests[] = {
	{"only ENOENT and ENOTDIR count as a missing file", open_codes},
	{"a stalled reader of stderr delays nobody, learns how much is missing, and no flags "
	 "change",
		stalled},
	{"missing messages are reported once, and without another message when there is room again",
		caught_up},
	{"a closed stderr ends no program", gone},
	{"a slow reader of stderr misses no message", slow},
	{"another program's message is passed on without a prefix, in one line and one write",
		relays},
	{"a message is one line in one write, tool and level first", one_line},
	{"info and debug messages appear only when enabled", verbosity},
	{"control characters and stray bytes are escaped", escapes},
	{"a message leaves errno unchanged", keeps_errno},
	{"a long message is cut and ends in \"...\", a shorter one is whole", cuts_long},
	{"a long message of control characters is still one line in one write", long_and_escaped},
	{"a program's name of any length leaves room for the message", long_name},
	{"dying prints the reason and exits with the code", dies},
};
CHECK_MAIN(tests)
