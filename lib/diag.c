/* diag - messages for people on stderr. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"

#include "diagout.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longest message text before escaping; longer ones are cut. */
#define TEXT_MAX 1024

/* Room for program name and level with a NUL; a longer name is cut. */
#define HEAD_SIZE 120

/* How long a message waits for a slow reader, such as a terminal. After one timeout the next
 * messages do not wait. */
#define PATIENCE_MS 200

static const char *program = "nic-health-monitor";
static int verbosity;

/* Number of messages that stderr did not accept and no line has reported yet. */
static atomic_ulong lost;

/* If stdin, stdout or stderr is closed, the next open() would return its descriptor, and that file
 * would receive records or messages, or be read as input. Open /dev/null there in the wrong mode,
 * so that reading and writing still fail. */
static void
occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* open() returns the lowest free descriptor, which is fd. Without /dev/null fd
		 * stays closed. */
		int taken = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
		if (taken < 0)
			return;
	}
}

void
diag_init(const char *name)
{
	program = name;
	occupy_standard_files();
	diagout_init();
	atexit(diag_catch_up);
}

const char *
diag_name(void)
{
	return program;
}

void
diag_set_verbosity(int level)
{
	verbosity = level;
}

int
diag_verbosity(void)
{
	return verbosity;
}

/* Write `program: level: `, cut if too long. Return its length. */
static size_t
begin_line(char *line, const char *level)
{
	int head = snprintf(line, HEAD_SIZE, "%s: %s: ", program, level);
	return head < 0 ? 0 : (size_t)head < HEAD_SIZE - 1 ? (size_t)head : HEAD_SIZE - 1;
}

/* Report how many messages were lost. Return false if stderr does not accept that either. */
static bool
report_lost(void)
{
	char line[HEAD_SIZE + TEXT_MAX];
	unsigned long count = atomic_exchange(&lost, 0);
	if (count == 0)
		return true;
	size_t length = begin_line(line, "warning");
	int printed = snprintf(line + length, TEXT_MAX,
		"messages lost here because stderr did not accept them: %lu\n", count);
	if (printed > 0 && diagout_write(line, length + (size_t)printed, 0))
		return true;
	atomic_fetch_add(&lost, count);
	return false;
}

static void
put_out(const char *line, size_t length)
{
	if (!report_lost() || !diagout_write(line, length, PATIENCE_MS))
		atomic_fetch_add(&lost, 1);
}

void
diag_catch_up(void)
{
	int saved_errno = errno;
	report_lost();
	errno = saved_errno;
}

void
diag_begin_child(void)
{
	atomic_store(&lost, 0);
	diagout_init();
}

void
diag_relay(const char *text)
{
	int saved_errno = errno;
	char line[PIPE_BUF];
	size_t length = utf8_escape(text, strlen(text), line, sizeof line - 1);
	line[length++] = '\n';
	put_out(line, length);
	errno = saved_errno;
}

/* Use only the stack: out of memory is reported here too. */
static void __attribute__((format(printf, 2, 0)))
report(const char *level, const char *format, va_list args)
{
	int saved_errno = errno;
	char line[PIPE_BUF], text[TEXT_MAX];
	size_t length = begin_line(line, level);
	/* Every byte may become \xNN, and a pipe accepts up to PIPE_BUF bytes atomically. */
	size_t room = (sizeof line - length - 2) / 4 + 1;
	size_t size = room < sizeof text ? room : sizeof text;

	int wanted = vsnprintf(text, size, format, args);
	if (wanted < 0)
		snprintf(text, size, "(message lost: %s)", format);
	else if ((size_t)wanted >= size)
		memcpy(text + size - 4, "...", 4);

	length += utf8_escape(text, strlen(text), line + length, sizeof line - length - 1);
	line[length++] = '\n';
	put_out(line, length);
	errno = saved_errno;
}

#define REPORT(level) \
	do { \
		va_list args; \
		va_start(args, format); \
		report(level, format, args); \
		va_end(args); \
	} while (0)

void
diag_error(const char *format, ...)
{
	REPORT("error");
}

void
diag_warn(const char *format, ...)
{
	REPORT("warning");
}

void
diag_note(const char *format, ...)
{
	REPORT("note");
}

void
diag_info(const char *format, ...)
{
	if (verbosity >= 1)
		REPORT("info");
}

void
diag_debug(const char *format, ...)
{
	if (verbosity >= 2)
		REPORT("debug");
}

int
diag_no_memory(void)
{
	diag_error("out of memory");
	return EXIT_OS;
}

int
diag_io_failure(const char *where)
{
	if (errno == ENOMEM)
		return diag_no_memory();
	diag_error("%s: %s", where, strerror(errno));
	return EXIT_IO;
}

int
diag_open_code(int error)
{
	switch (error) {
	case EACCES:
		return EXIT_NO_PERMISSION;
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		return EXIT_OS;
	case EIO:
		return EXIT_IO;
	default:
		return EXIT_NO_INPUT;
	}
}

int
diag_open_failure(const char *path)
{
	int code = diag_open_code(errno);
	diag_error("%s: %s", path, strerror(errno));
	return code;
}

void
diag_die(enum diag_exit code, const char *format, ...)
{
	REPORT("error");
	exit(code);
}
