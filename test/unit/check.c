/* check - the unit tests' harness: TAP output, one child process per test. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A test that runs longer, in seconds, has failed. */
#define SECONDS_MAX 180

/* The longest value in a diagnostic, in bytes. */
#define SHOWN_MAX 400

static char row[200];
static unsigned failures;
/* The file that collects a child's diagnostics: TAP wants the verdict before them. */
static int report_fd = -1;
/* Shared memory: the child sets it when its test has returned. A test that calls exit() has not. */
static volatile bool *finished;
static char scratch[64];
static char test_dir[96];
static int captured[3] = {-1, -1, -1}, displaced[3] = {-1, -1, -1};

/* Exit when the harness itself failed: no verdict is better than a wrong one. */
static _Noreturn void
give_up(const char *what)
{
	dprintf(STDERR_FILENO, "check: %s: %s\n", what, strerror(errno));
	_exit(99);
}

void
check_row(const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(row, sizeof row, format, args);
	va_end(args);
	/* A diagnostic is one line. */
	for (char *at = row; *at != '\0'; at++) {
		if ((unsigned char)*at < 0x20)
			*at = ' ';
	}
}

static void __attribute__((format(printf, 3, 4)))
fail(const char *file, int line, const char *format, ...)
{
	char text[2 * SHOWN_MAX + 400];
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	failures++;
	dprintf(report_fd, "# %s:%d: %s%s%s\n", file, line, row, *row != '\0' ? ": " : "", text);
}

/* Return a text in quotes, on one line whatever it contains. */
static const char *
quoted(const char *text, char *out)
{
	size_t used = 0;

	if (text == NULL)
		return "NULL";
	out[used++] = '"';
	for (; *text != '\0' && used < SHOWN_MAX - 10; text++) {
		unsigned char c = (unsigned char)*text;
		if (c >= 0x20 && c < 0x7F)
			out[used++] = *text;
		else
			used += (size_t)snprintf(out + used, 5, "\\x%02x", c);
	}
	snprintf(out + used, 8, "%s", *text != '\0' ? "\"..." : "\"");
	return out;
}

bool
check_true(const char *file, int line, const char *what, bool held)
{
	if (!held)
		fail(file, line, "%s does not hold", what);
	return held;
}

bool
check_int(const char *file, int line, const char *what, int64_t actual, int64_t expected)
{
	if (actual != expected)
		fail(file, line, "%s is %" PRId64 ", not %" PRId64, what, actual, expected);
	return actual == expected;
}

bool
check_u64(const char *file, int line, const char *what, uint64_t actual, uint64_t expected)
{
	if (actual != expected)
		fail(file, line, "%s is %" PRIu64 ", not %" PRIu64, what, actual, expected);
	return actual == expected;
}

bool
check_near(const char *file, int line, const char *what, double actual, double expected)
{
	bool held = fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected));
	if (!held)
		fail(file, line, "%s is %.17g, not %.17g", what, actual, expected);
	return held;
}

bool
check_str(const char *file, int line, const char *what, const char *actual, const char *expected)
{
	char a[SHOWN_MAX], e[SHOWN_MAX];
	bool same = actual == NULL || expected == NULL ? actual == expected
						       : strcmp(actual, expected) == 0;
	if (!same)
		fail(file, line, "%s is %s, not %s", what, quoted(actual, a), quoted(expected, e));
	return same;
}

bool
check_has(const char *file, int line, const char *what, const char *actual, const char *part)
{
	char a[SHOWN_MAX], p[SHOWN_MAX];
	bool has = actual != NULL && strstr(actual, part) != NULL;
	if (!has)
		fail(file, line, "%s is %s, without %s", what, quoted(actual, a), quoted(part, p));
	return has;
}

void
check_capture(int fd)
{
	fflush(NULL);
	captured[fd] = memfd_create("captured", MFD_CLOEXEC);
	displaced[fd] = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (captured[fd] < 0 || displaced[fd] < 0 || dup2(captured[fd], fd) < 0)
		give_up("capturing output");
}

static char *
content_new(int fd)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		give_up("fstat");
	char *text = calloc(1, (size_t)status.st_size + 1);
	if (text == NULL || pread(fd, text, (size_t)status.st_size, 0) != status.st_size)
		give_up("reading back");
	return text;
}

char *
check_captured_new(int fd)
{
	fflush(NULL);
	if (dup2(displaced[fd], fd) < 0)
		give_up("dup2");
	char *text = content_new(captured[fd]);
	close(displaced[fd]);
	close(captured[fd]);
	return text;
}

size_t
check_occurrences(const char *text, const char *part)
{
	size_t count = 0;
	while ((text = strstr(text, part)) != NULL) {
		count++;
		text += strlen(part);
	}
	return count;
}

char *
check_replaced_new(char *text, const char *part, const char *with)
{
	size_t grown = strlen(text) + check_occurrences(text, part) * strlen(with);
	char *out = calloc(1, grown + 1), *to = out;
	if (out == NULL)
		give_up("calloc");
	for (const char *at = text; *at != '\0';) {
		bool found = strncmp(at, part, strlen(part)) == 0;
		size_t length = found ? strlen(with) : 1;
		memcpy(to, found ? with : at, length);
		to += length;
		at += found ? strlen(part) : 1;
	}
	free(text);
	return out;
}

const char *
check_dir(void)
{
	if (mkdir(test_dir, 0700) < 0 && errno != EEXIST)
		give_up(test_dir);
	return test_dir;
}

const char *
check_file_bytes(const char *name, const void *content, size_t length)
{
	static char path[400];
	snprintf(path, sizeof path, "%s/%s", check_dir(), name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, content, length) != (ssize_t)length)
		give_up(path);
	close(fd);
	return path;
}

const char *
check_file(const char *name, const char *content)
{
	return check_file_bytes(name, content, strlen(content));
}

char *
check_repeat_new(char byte, size_t length)
{
	char *text = malloc(length + 1);
	if (text == NULL)
		give_up("malloc");
	memset(text, byte, length);
	text[length] = '\0';
	return text;
}

json_t *
check_json_new(const char *text)
{
	json_error_t error;
	char *copy = strdup(text);
	if (copy == NULL)
		give_up("strdup");
	for (char *at = copy; *at != '\0'; at++) {
		if (*at == '\'')
			*at = '"';
	}
	json_t *json = json_loads(copy, JSON_DECODE_ANY, &error);
	if (json == NULL) {
		dprintf(STDERR_FILENO, "check: the test's own JSON: %s: %s\n", error.text, copy);
		_exit(99);
	}
	free(copy);
	return json;
}

int
check_feed(const char *bytes, size_t length, size_t chunk)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		give_up("pipe2");
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		give_up("fork");
	if (pid > 0) {
		close(ends[1]);
		return ends[0];
	}
	close(ends[0]);
	while (length > 0) {
		ssize_t n = write(ends[1], bytes, chunk < length ? chunk : length);
		if (n < 0)
			_exit(1);
		bytes += n;
		length -= (size_t)n;
	}
	_exit(0);
}

/* --- running --- */

static _Noreturn void
run_child(const struct check_test *test)
{
	/* Kill also a writer whose reader a failed test forgot. */
	alarm(SECONDS_MAX);
	test->run();
	*finished = true;
	fflush(NULL);
	/* exit(), not _exit(): it runs the leak check of the sanitizers. */
	exit(failures > 0 ? 1 : 0);
}

/* Run one test; return true if it passed. The diagnostics are in `report_fd`. */
static bool
run_one(const struct check_test *test)
{
	*finished = false;
	/* The child would print the buffered output a second time. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		give_up("fork");
	if (pid == 0)
		run_child(test);

	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			give_up("waitpid");
	}
	if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));
		dprintf(report_fd, "# killed by SIG%s%s\n", name != NULL ? name : "?",
			WTERMSIG(status) == SIGALRM ? ": took too long" : "");
		return false;
	}
	if (WEXITSTATUS(status) > 1)
		dprintf(report_fd, "# exited with %d, see stderr\n", WEXITSTATUS(status));
	else if (!*finished)
		dprintf(report_fd, "# ended before its end, with %d\n", WEXITSTATUS(status));
	return WEXITSTATUS(status) == 0 && *finished;
}

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status, (void)type, (void)walk;
	return remove(path);
}

static void
make_scratch(void)
{
	const char *parent = getenv("TMPDIR");
	if (parent == NULL || strlen(parent) > 40)
		parent = "/tmp";
	snprintf(scratch, sizeof scratch, "%s/nhm-unit.XXXXXX", parent);
	if (mkdtemp(scratch) == NULL)
		give_up(scratch);
}

int
check_run(const struct check_test *tests, size_t count)
{
	size_t failed = 0;
	const char *stop = getenv("CHECK_STOP");
	bool stops = stop != NULL && *stop != '\0';

	make_scratch();
	finished = mmap(
		NULL, sizeof *finished, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (finished == MAP_FAILED)
		give_up("mmap");
	for (size_t i = 0; i < count && !(stops && failed > 0); i++) {
		snprintf(test_dir, sizeof test_dir, "%s/%zu", scratch, i + 1);
		report_fd = memfd_create("report", MFD_CLOEXEC);
		if (report_fd < 0)
			give_up("memfd_create");
		bool passed = run_one(&tests[i]);
		char *report = content_new(report_fd);
		printf("%sok %zu - %s\n%s", passed ? "" : "not ", i + 1, tests[i].promise, report);
		free(report);
		close(report_fd);
		failed += !passed;
	}
	printf("1..%zu\n", count);
	nftw(scratch, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
	return failed > 0 ? 1 : 0;
}
