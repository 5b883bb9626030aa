/* Unit tests of line: reading bounded lines, and writing whole lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "line.h"

#include "check.h"
#include "readall.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

/* Log the reader's results up to the end: lines as `<text>`, oversized ones as `!`, the end as
 * `.`. */
static void
read_all(struct line_reader *reader, char *log, size_t size)
{
	size_t used = 0;
	for (;;) {
		char *text;
		size_t length;
		switch (read_line(reader, &text, &length)) {
		case LINE_OK:
			CHECK_INT((int64_t)strlen(text), (int64_t)length);
			used += (size_t)snprintf(log + used, size - used, "<%s>", text);
			continue;
		case LINE_OVERSIZED:
			used += (size_t)snprintf(log + used, size - used, "!");
			continue;
		case LINE_MORE:
		case LINE_END:
			snprintf(log + used, size - used, ".");
			return;
		case LINE_ERROR:
			snprintf(log + used, size - used, "E");
			return;
		}
	}
}

struct reading {
	const char *input, *expected;
};

/* With a limit of 5, in chunks of every size from a byte to the whole. */
static void
check_readings(const struct reading *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(rows[i].input);
		for (size_t chunk = 1; chunk <= length + 1; chunk++) {
			struct line_reader reader;
			char log[200];
			int fd = check_feed(rows[i].input, length, chunk);
			line_reader_init(&reader, fd, 5);
			check_row("row %zu in chunks of %zu", i, chunk);
			read_all(&reader, log, sizeof log);
			CHECK_STR(log, rows[i].expected);
			line_reader_fini(&reader);
			close(fd);
		}
	}
}

static void
splits(void)
{
	static const struct reading rows[] = {
		{"", "."},
		{"a\n", "<a>."},
		{"a\nb\n", "<a><b>."},
		{"\n", "<>."},
		{"\n\na\n\n", "<><><a><>."},
		{"a\r\n", "<a\r>."},
	};
	check_readings(rows, CHECK_COUNT(rows));
}

static void
last_line(void)
{
	static const struct reading rows[] = {
		{"a", "<a>."},
		{"a\nb", "<a><b>."},
		{"\nb", "<><b>."},
		{"12345", "<12345>."},
		{"a\n12345", "<a><12345>."},
	};
	check_readings(rows, CHECK_COUNT(rows));
}

static void
limit(void)
{
	static const struct reading rows[] = {
		{"12345\n", "<12345>."},
		{"12345\na\n", "<12345><a>."},
		{"123456\n", "!."},
		{"123456\na\n", "!<a>."},
		{"a\n123456\nb\n", "<a>!<b>."},
		{"123456\n123456\n", "!!."},
		{"1234567890123456789012345\nok\n", "!<ok>."},
		{"123456\n\n", "!<>."},
		{"12345678901\n12345\n", "!<12345>."},
		{"123456", "!."},
		{"1234567890123456789", "!."},
		{"a\n1234567890123456789", "<a>!."},
	};
	check_readings(rows, CHECK_COUNT(rows));
}

static void
stays_at_end(void)
{
	struct line_reader reader;
	char *text;
	size_t length;
	int fd = check_feed("a", 1, 1);
	line_reader_init(&reader, fd, 5);
	CHECK_INT(read_line(&reader, &text, &length), LINE_OK);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(read_line(&reader, &text, &length), LINE_END);
		CHECK_INT(line_next(&reader, &text, &length), LINE_END);
		CHECK_INT(line_fill(&reader), LINE_END);
	}
	line_reader_fini(&reader);
	close(fd);
}

static void
inner_nul(void)
{
	struct line_reader reader;
	char *text;
	size_t length = 0;
	int fd = check_feed("a\0b\n", 4, 1);
	line_reader_init(&reader, fd, 5);
	if (CHECK_INT(read_line(&reader, &text, &length), LINE_OK)) {
		CHECK_INT((int64_t)length, 3);
		CHECK(memcmp(text, "a\0b", 4) == 0);
	}
	line_reader_fini(&reader);
	close(fd);
}

static void
may_be_written_to(void)
{
	struct line_reader reader;
	char *text;
	size_t length;
	int fd = check_feed("abc\ndef\n", 8, 8);
	line_reader_init(&reader, fd, 5);
	if (CHECK_INT(read_line(&reader, &text, &length), LINE_OK))
		memset(text, 'X', length);
	if (CHECK_INT(read_line(&reader, &text, &length), LINE_OK))
		CHECK_STR(text, "def");
	line_reader_fini(&reader);
	close(fd);
}

static void
polled(void)
{
	struct line_reader reader;
	char *text;
	size_t length;
	int ends[2];
	if (!CHECK(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0))
		return;
	line_reader_init(&reader, ends[0], 100);

	/* Nothing has arrived: neither a line nor an error. */
	CHECK_INT(line_next(&reader, &text, &length), LINE_MORE);
	CHECK_INT(line_fill(&reader), LINE_OK);
	CHECK_INT(line_next(&reader, &text, &length), LINE_MORE);

	CHECK(write(ends[1], "one\ntw", 6) == 6);
	CHECK_INT(line_fill(&reader), LINE_OK);
	if (CHECK_INT(line_next(&reader, &text, &length), LINE_OK))
		CHECK_STR(text, "one");
	CHECK_INT(line_next(&reader, &text, &length), LINE_MORE);
	CHECK(write(ends[1], "o\n", 2) == 2);
	CHECK_INT(line_fill(&reader), LINE_OK);
	if (CHECK_INT(line_next(&reader, &text, &length), LINE_OK))
		CHECK_STR(text, "two");

	close(ends[1]);
	CHECK_INT(line_fill(&reader), LINE_END);
	CHECK_INT(line_next(&reader, &text, &length), LINE_END);
	line_reader_fini(&reader);
	close(ends[0]);
}

static void
many_long_lines(void)
{
	/* More than the first buffer holds, so that it is moved and grows. */
	const size_t long_length = 100000, lines = 5;
	char *one = check_repeat_new('x', long_length);
	size_t total = lines * (long_length + 1);
	char *input = malloc(total);
	for (size_t i = 0; i < lines; i++) {
		memcpy(input + i * (long_length + 1), one, long_length);
		input[i * (long_length + 1) + long_length] = '\n';
	}

	struct line_reader reader;
	char *text;
	size_t length;
	int fd = check_feed(input, total, 60000);
	line_reader_init(&reader, fd, long_length);
	for (size_t i = 0; i < lines; i++) {
		if (CHECK_INT(read_line(&reader, &text, &length), LINE_OK))
			CHECK(length == long_length && strcmp(text, one) == 0);
	}
	CHECK_INT(read_line(&reader, &text, &length), LINE_END);
	line_reader_fini(&reader);
	close(fd);
	free(input);
	free(one);
}

static void
on_signal(int number)
{
	(void)number;
}

static void
interrupted(void)
{
	struct line_reader reader;
	char *text;
	size_t length;
	int ends[2];
	if (!CHECK(pipe2(ends, O_CLOEXEC) == 0))
		return;
	struct sigaction action = {.sa_handler = on_signal};
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 50000}, NULL);
	line_reader_init(&reader, ends[0], 100);
	CHECK_INT(line_fill(&reader), LINE_OK);
	CHECK_INT(line_next(&reader, &text, &length), LINE_MORE);
	CHECK(write(ends[1], "a\n", 2) == 2);
	CHECK_INT(read_line(&reader, &text, &length), LINE_OK);
	line_reader_fini(&reader);
	close(ends[0]);
	close(ends[1]);
}

static void
read_error(void)
{
	struct line_reader reader;
	char *text;
	size_t length;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	line_reader_init(&reader, fd, 100);
	CHECK_INT(read_line(&reader, &text, &length), LINE_ERROR);
	CHECK_INT(errno, EISDIR);
	line_reader_fini(&reader);
	close(fd);
}

static void
writes_at_once(void)
{
	int ends[2];
	char text[100];
	if (!CHECK(pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK) == 0))
		return;
	CHECK_INT(line_write(ends[1], "one line\n", 9), 0);
	CHECK_INT(line_write(ends[1], "", 0), 0);
	CHECK_INT(line_write(ends[1], "two\n", 4), 0);
	CHECK_INT(read(ends[0], text, sizeof text), 9);
	CHECK(memcmp(text, "one line\n", 9) == 0);
	CHECK_INT(read(ends[0], text, sizeof text), 4);
	CHECK(read(ends[0], text, sizeof text) < 0);
	close(ends[0]);
	close(ends[1]);
}

static void
writes_all(void)
{
	/* Far more than a pipe holds; a child reads and counts. */
	const size_t total = 1 << 20;
	char *bytes = check_repeat_new('y', total);
	int ends[2], back[2];
	if (!CHECK(pipe2(ends, O_CLOEXEC) == 0 && pipe2(back, O_CLOEXEC) == 0))
		return;
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		char part[1000];
		size_t seen = 0;
		ssize_t n;
		close(ends[1]);
		while ((n = read(ends[0], part, sizeof part)) > 0)
			seen += (size_t)n;
		_exit(write(back[1], &seen, sizeof seen) == sizeof seen ? 0 : 1);
	}
	close(ends[0]);
	CHECK_INT(line_write(ends[1], bytes, total), 0);
	close(ends[1]);
	size_t seen = 0;
	CHECK(read(back[0], &seen, sizeof seen) == sizeof seen);
	CHECK_INT((int64_t)seen, (int64_t)total);
	close(back[0]);
	close(back[1]);
	free(bytes);
}

static void
write_error(void)
{
	int ends[2];
	if (!CHECK(pipe2(ends, O_CLOEXEC) == 0))
		return;
	signal(SIGPIPE, SIG_IGN);
	close(ends[0]);
	CHECK_INT(line_write(ends[1], "a\n", 2), -1);
	CHECK_INT(errno, EPIPE);
	close(ends[1]);
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	CHECK_INT(line_write(full, "a\n", 2), -1);
	CHECK_INT(errno, ENOSPC);
	close(full);
}

static const struct check_test tests[] = {
	{"lines are read whole whatever the chunks, empty ones too", splits},
	{"a last line without its newline is still a line", last_line},
	{"a line at the limit is read, one byte more is skipped and reported once", limit},
	{"after the end every read returns the end", stays_at_end},
	{"a NUL inside a line is a byte like others", inner_nul},
	{"writing into a line does not change the next one", may_be_written_to},
	{"a non-blocking input never blocks, and half a line waits for the rest", polled},
	{"lines far longer than the first buffer are read whole", many_long_lines},
	{"a signal interrupts a waiting reader", interrupted},
	{"a failed read is an error with its errno", read_error},
	{"a line is written in one write", writes_at_once},
	{"bytes that a pipe does not accept at once are still written in full", writes_all},
	{"a failed write is an error with its errno", write_error},
};
CHECK_MAIN(tests)
