/* Unit tests of logmatch's kmsg: reading files that grow, pipes and devices in place of
 * /dev/kmsg. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/kmsg.h"

#include "check.h"
#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* For inputs that are not devices. */
#define LINE_MAX_BYTES ((size_t)8 * KMSG_BUFFER_BYTES)

static struct kmsg
open_new(const char *path)
{
	struct kmsg kmsg;
	diag_init("logmatch");
	CHECK_INT(kmsg_open(&kmsg, path), 0);
	return kmsg;
}

/* Check that the next line is this one. */
static void
check_line(struct kmsg *kmsg, const char *expected)
{
	const char *bytes;
	size_t length;
	if (!CHECK_INT(kmsg_read(kmsg, &bytes, &length), KMSG_RECORD))
		return;
	char *line = strndup(bytes, length);
	CHECK_STR(line, expected);
	CHECK_U64(length, strlen(expected));
	free(line);
}

static void
check_status(struct kmsg *kmsg, enum kmsg_status expected)
{
	const char *bytes;
	size_t length;
	CHECK_INT(kmsg_read(kmsg, &bytes, &length), expected);
}

static void
put(int fd, const char *text)
{
	CHECK_INT(write(fd, text, strlen(text)), (ssize_t)strlen(text));
}

static void
growing_file(void)
{
	const char *path = check_file("log", "one\ntwo\nthr");
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct kmsg kmsg = open_new(path);
	CHECK(!kmsg.device && kmsg.growing);
	check_line(&kmsg, "one");
	check_line(&kmsg, "two");
	/* Not before the line is complete. */
	check_status(&kmsg, KMSG_NOTHING);
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "e");
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "e\n\nfour\n");
	check_line(&kmsg, "three");
	check_line(&kmsg, "");
	check_line(&kmsg, "four");
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "five\n");
	check_line(&kmsg, "five");
	kmsg_close(&kmsg);
	close(fd);
}

static void
byte_by_byte(void)
{
	static const char text[] = "a line\nand a second one\n";
	const char *path = check_file("log", "");
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct kmsg kmsg = open_new(path);
	for (size_t at = 0; text[at] != '\0'; at++) {
		CHECK_INT(write(fd, text + at, 1), 1);
		if (text[at] != '\n')
			check_status(&kmsg, KMSG_NOTHING);
		else
			check_line(&kmsg, at < 7 ? "a line" : "and a second one");
	}
	kmsg_close(&kmsg);
	close(fd);
}

static void
long_lines(void)
{
	size_t longest = LINE_MAX_BYTES - 1;
	char *line = check_repeat_new('x', longest);
	char *more = check_repeat_new('y', 3 * LINE_MAX_BYTES);
	const char *path = check_file("log", "");
	int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	struct kmsg kmsg = open_new(path);
	put(fd, line);
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "\n");
	check_line(&kmsg, line);

	put(fd, more);
	check_status(&kmsg, KMSG_OVERSIZED);
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, more);
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "its end\nbehind\n");
	check_line(&kmsg, "behind");
	put(fd, "x\n");
	check_line(&kmsg, "x");
	kmsg_close(&kmsg);
	close(fd);
	free(line);
	free(more);
}

static char fifo_path[400];

static void
make_fifo(void)
{
	snprintf(fifo_path, sizeof fifo_path, "%s/fifo", check_dir());
	CHECK_INT(mkfifo(fifo_path, 0600), 0);
}

static void
fifo(void)
{
	make_fifo();
	struct kmsg kmsg = open_new(fifo_path);
	/* Without a writer yet, the pipe has not ended. */
	check_status(&kmsg, KMSG_NOTHING);
	int fd = open(fifo_path, O_WRONLY | O_CLOEXEC);
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "one\ntw");
	check_line(&kmsg, "one");
	check_status(&kmsg, KMSG_NOTHING);
	put(fd, "o\nlast");
	check_line(&kmsg, "two");
	close(fd);
	/* The last writer's unfinished line is a line. */
	check_line(&kmsg, "last");
	check_status(&kmsg, KMSG_END);
	check_status(&kmsg, KMSG_END);
	kmsg_close(&kmsg);
}

static void
fifo_without_a_word(void)
{
	make_fifo();
	struct kmsg kmsg = open_new(fifo_path);
	close(open(fifo_path, O_WRONLY | O_CLOEXEC));
	kmsg_wait(&kmsg, 0);
	check_status(&kmsg, KMSG_END);
	kmsg_close(&kmsg);
}

static void
fifo_ends_in_long_line(void)
{
	make_fifo();
	struct kmsg kmsg = open_new(fifo_path);
	char *line = check_repeat_new('x', 1000);
	int fd = open(fifo_path, O_WRONLY | O_CLOEXEC);
	for (size_t written = 1000; written <= LINE_MAX_BYTES; written += 1000) {
		put(fd, line);
		check_status(&kmsg, KMSG_NOTHING);
	}
	put(fd, line);
	check_status(&kmsg, KMSG_OVERSIZED);
	close(fd);
	check_status(&kmsg, KMSG_END);
	free(line);
	kmsg_close(&kmsg);
}

/* A device returns one record per read; /dev/null and /dev/zero exist everywhere. */
static void
devices(void)
{
	struct kmsg kmsg = open_new("/dev/null");
	CHECK(kmsg.device);
	check_status(&kmsg, KMSG_END);
	kmsg_close(&kmsg);

	kmsg = open_new("/dev/zero");
	const char *bytes;
	size_t length;
	CHECK_INT(kmsg_read(&kmsg, &bytes, &length), KMSG_RECORD);
	CHECK_U64(length, KMSG_BUFFER_BYTES);
	kmsg_close(&kmsg);
}

static void
not_opened(void)
{
	struct kmsg kmsg;
	char path[400];
	diag_init("logmatch");
	check_capture(STDERR_FILENO);
	snprintf(path, sizeof path, "%s/no-such", check_dir());
	CHECK_INT(kmsg_open(&kmsg, path), EXIT_NO_INPUT);
	kmsg_close(&kmsg);
	CHECK(kmsg_open(&kmsg, check_dir()) != 0);
	kmsg_close(&kmsg);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "No such file or directory");
	CHECK_HAS(said, "Is a directory");
	free(said);
}

static const struct check_test tests[] = {
	{"a growing file is followed in whole lines", growing_file},
	{"a line that arrives byte by byte is read once", byte_by_byte},
	{"a line that is too long is skipped with one message, and the next is whole", long_lines},
	{"a pipe ends with its last writer, but not before its first", fifo},
	{"a pipe whose writer closed without data has ended", fifo_without_a_word},
	{"a pipe that ends within a line that is too long returns nothing of it",
		fifo_ends_in_long_line},
	{"each read of a device is a record", devices},
	{"a path that cannot be opened is reported", not_opened},
};
CHECK_MAIN(tests)
