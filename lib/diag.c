/* diag - messages for people, on stderr. */
#include "diag.h"

#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longest message text before escaping. Longer ones are cut: a diagnostic is a line, not a dump. */
#define TEXT_MAX 1024

static const char *program = "nic-health-monitor";
static int verbosity;

/* A program may be started with some of stdin, stdout and stderr closed. The first file that it opens would take such a place: it
 * would get records or messages, or be waited for as input. Instead reading and writing go on to fail. */
static void
occupy_standard_files(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		/* The lowest free number is this one. Without /dev/null it is as it was. */
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

static void __attribute__((format(printf, 2, 0)))
say(const char *level, const char *format, va_list args)
{
	int saved_errno = errno;
	char text[TEXT_MAX];
	/* Every byte may become \xNN, and the program's name and the level come before it. */
	char line[4 * TEXT_MAX + 128];

	int wanted = vsnprintf(text, sizeof text, format, args);
	if (wanted < 0)
		snprintf(text, sizeof text, "(message lost: %s)", format);
	else if ((size_t)wanted >= sizeof text)
		memcpy(text + sizeof text - 4, "...", 4);

	int head = snprintf(line, 120, "%s: %s: ", program, level);
	size_t length = head < 0 ? 0 : (size_t)head < 119 ? (size_t)head : 119;
	length += utf8_escape(text, strlen(text), line + length, sizeof line - length - 1);
	line[length++] = '\n';

	/* Nobody is left to be told when stderr itself fails. */
	ssize_t ignored = write(STDERR_FILENO, line, length);
	(void)ignored;
	errno = saved_errno;
}

#define SAY(level) \
	do { \
		va_list args; \
		va_start(args, format); \
		say(level, format, args); \
		va_end(args); \
	} while (0)

void
diag_error(const char *format, ...)
{
	SAY("error");
}

void
diag_warn(const char *format, ...)
{
	SAY("warning");
}

void
diag_note(const char *format, ...)
{
	SAY("note");
}

void
diag_info(const char *format, ...)
{
	if (verbosity >= 1)
		SAY("info");
}

void
diag_debug(const char *format, ...)
{
	if (verbosity >= 2)
		SAY("debug");
}

int
diag_io_failure(const char *where)
{
	if (errno == ENOMEM) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	diag_error("%s: %s", where, strerror(errno));
	return EXIT_IO;
}

int
diag_open_failure(const char *path)
{
	int code = errno == EACCES ? EXIT_NO_PERMISSION : EXIT_NO_INPUT;
	diag_error("%s: %s", path, strerror(errno));
	return code;
}

void
diag_die(enum diag_exit code, const char *format, ...)
{
	SAY("error");
	exit(code);
}
