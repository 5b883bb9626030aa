/* Unit tests of logstdin: the kernel's log on standard input. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logstdin.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static void
meant(void)
{
	CHECK(logstdin_is_meant("-"));
	CHECK(!logstdin_is_meant(NULL));
	CHECK(!logstdin_is_meant(""));
	CHECK(!logstdin_is_meant("--"));
	CHECK(!logstdin_is_meant("./-"));
	CHECK_STR(logstdin_name("-"), "stdin");
	CHECK_STR(logstdin_name("/dev/kmsg"), "/dev/kmsg");
	CHECK(logstdin_name(NULL) == NULL);
}

/* Return the error for this standard input; with a descriptor of -1 it is closed. */
static int
error_of(int fd)
{
	int saved = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (fd >= 0)
		CHECK_INT(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	else
		close(STDIN_FILENO);
	int error = logstdin_error();
	CHECK_INT(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
	return error;
}

static void
kinds(void)
{
	static const struct {
		const char *path;
		int error;
	} rows[] = {{"/dev/null", ENODEV}, {"/dev/zero", ENODEV}, {"/", EISDIR}};
	int ends[2], file = open(check_file("log", "4,1,5,-;text\n"), O_RDONLY | O_CLOEXEC);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].path);
		int fd = open(rows[i].path, O_RDONLY | O_CLOEXEC);
		CHECK(fd >= 0);
		CHECK_INT(error_of(fd), rows[i].error);
		close(fd);
	}
	check_row("a file, a pipe, nothing");
	CHECK_INT(error_of(file), 0);
	close(file);
	CHECK_INT(pipe(ends), 0);
	CHECK_INT(error_of(ends[0]), 0);
	close(ends[0]);
	close(ends[1]);
	CHECK_INT(error_of(-1), EBADF);
}

static const struct check_test tests[] = {
	{"only \"-\" means standard input", meant},
	{"a file or a pipe can replace the log, a directory or another device cannot", kinds},
};
CHECK_MAIN(tests)
