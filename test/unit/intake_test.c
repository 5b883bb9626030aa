/* Unit tests of intake: reading records from lines, with one warning per burst of bad lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "intake.h"

#include "check.h"
#include "diag.h"
#include "metricspage.h"
#include "readall.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define GOOD "{\"kind\":\"x\"}\n"

/* The results of intake_next() for an input: R record, L lost. */
struct outcome {
	char answers[64];
	uint64_t lost, lines;
	char *messages;
};

static struct outcome
take_all(const char *input, size_t length, size_t chunk)
{
	struct outcome outcome = {.answers = ""};
	struct intake intake;
	struct intake_record record;
	size_t used = 0;
	int fd = check_feed(input, length, chunk);

	diag_init("t");
	check_capture(STDERR_FILENO);
	intake_init(&intake, fd, "stdin");
	for (;;) {
		enum intake_status status = read_record(&intake, &record);
		if (status == INTAKE_RECORD)
			json_decref(record.json);
		if (status == INTAKE_END || used + 2 > 64)
			break;
		outcome.answers[used++] = status == INTAKE_RECORD ? 'R' : 'L';
	}
	outcome.lost = intake.lost;
	outcome.lines = intake.line_number;
	intake_fini(&intake);
	outcome.messages = check_captured_new(STDERR_FILENO);
	close(fd);
	return outcome;
}

static void
answers(void)
{
	static const struct {
		const char *input, *answers, *message;
	} rows[] = {
		{"", "", ""},
		{GOOD, "R", ""},
		{GOOD GOOD, "RR", ""},
		{"{\"kind\":\"x\"}", "R", ""},
		{GOOD "{\"kind\":\"x\"}", "RR", ""},
		{"  {\"kind\":\"x\"} \r\n", "R", ""},
		/* The writer was killed in the middle of a line. */
		{"{\"kind\":\"x\",\"a\n", "L", "stdin: line 1, byte "},
		{GOOD "{\"kind\":\"x\",\"a", "RL", "stdin: line 2, byte "},
		{"{\"kind\":\"x\"}{\"kind\":\"x\"}\n" GOOD, "LR", "stdin: line 1, byte "},
		{"\xFF\n", "L", "stdin: line 1, byte "},
		{"{\"kind\":\"\xC3\x28\"}\n", "L", "unable to decode byte"},
		{"{\"kind\":\"\xED\xA0\x80\"}\n", "L", "unable to decode byte"},
		{"[1]\n", "L", "stdin: line 1, byte 0: skipped: not a JSON object\n"},
		{"7\n", "L", "stdin: line 1, byte "},
		{"\"text\"\n", "L", "stdin: line 1, byte "},
		{"{}\n", "L", "stdin: line 1, byte 0: skipped: no \"kind\"\n"},
		{"{\"kind\":7}\n", "L", "stdin: line 1, byte 0: skipped: no \"kind\"\n"},
		{"{\"kind\":null}\n", "L", "no \"kind\""},
		{"\n", "L", "stdin: line 1, byte "},
		{"{'kind':'x'}\n", "L", "stdin: line 1, byte "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		for (size_t chunk = 1; chunk <= 64; chunk += 21) {
			struct outcome got = take_all(rows[i].input, strlen(rows[i].input), chunk);
			check_row("row %zu in chunks of %zu", i, chunk);
			CHECK_STR(got.answers, rows[i].answers);
			CHECK_U64(got.lost, check_occurrences(rows[i].answers, "L"));
			CHECK_U64(got.lines, strlen(rows[i].answers));
			if (*rows[i].message == '\0')
				CHECK_STR(got.messages, "");
			else
				CHECK_HAS(got.messages, rows[i].message);
			free(got.messages);
		}
	}
}

static void
bursts(void)
{
	static const struct {
		const char *input, *answers;
		size_t warnings, summaries;
	} rows[] = {
		{GOOD "x\n" GOOD, "RLR", 1, 0},
		{"x\nx\nx\n" GOOD, "LLLR", 1, 1},
		{"x\nx\n" GOOD "y\ny\n" GOOD, "LLRLLR", 2, 2},
		{"x\n" GOOD "x\n" GOOD "x\n", "LRLRL", 3, 0},
		{GOOD "x\nx\nx\nx", "RLLLL", 1, 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outcome got = take_all(rows[i].input, strlen(rows[i].input), 1000);
		check_row("row %zu", i);
		CHECK_STR(got.answers, rows[i].answers);
		CHECK_INT((int64_t)check_occurrences(got.messages, "skipped: "),
			(int64_t)rows[i].warnings);
		CHECK_INT((int64_t)check_occurrences(got.messages, "further skipped lines"),
			(int64_t)rows[i].summaries);
		free(got.messages);
	}
}

static void
burst_wording(void)
{
	struct outcome got = take_all(GOOD "[]\nx\nx\n" GOOD, 2 * strlen(GOOD) + 7, 1000);
	CHECK_STR(got.messages, "t: warning: stdin: line 2, byte 0: skipped: not a JSON object\n"
				"t: warning: stdin: further skipped lines: 2\n");
	free(got.messages);
}

static void
oversized(void)
{
	const size_t big = 2 << 20;
	char *input = check_repeat_new('x', big + 1 + strlen(GOOD));
	input[big] = '\n';
	memcpy(input + big + 1, GOOD, strlen(GOOD));
	struct outcome got = take_all(input, strlen(input), 65536);
	CHECK_STR(got.answers, "LR");
	CHECK_U64(got.lines, 2);
	CHECK_STR(got.messages,
		"t: warning: stdin: line 1, byte 0: skipped: longer than 1048576 bytes\n");
	free(got.messages);
	free(input);
}

static void
largest(void)
{
	/* A record of exactly the limit, and one of a byte more. */
	for (size_t extra = 0; extra <= 1; extra++) {
		size_t length = LINE_RECORD_MAX_BYTES + extra;
		char *input = check_repeat_new(' ', length + 1);
		memcpy(input, GOOD, strlen(GOOD) - 1);
		input[length] = '\n';
		struct outcome got = take_all(input, length + 1, 65536);
		check_row("%zu bytes", length);
		CHECK_STR(got.answers, extra == 0 ? "R" : "L");
		free(got.messages);
		free(input);
	}
}

static void
rejected(void)
{
	static const struct rec_error reason = {.reason = "not what it promises", .offset = 3};
	static const char input[] = GOOD GOOD GOOD GOOD;
	struct intake intake;
	struct intake_record record;
	int fd = check_feed(input, strlen(input), 100);

	diag_init("t");
	check_capture(STDERR_FILENO);
	intake_init(&intake, fd, "in");
	/* The caller rejects lines 1, 2 and 4; line 3 is good. */
	for (int i = 1; i <= 4; i++) {
		if (!CHECK_INT(read_record(&intake, &record), INTAKE_RECORD))
			break;
		if (i != 3)
			intake_reject(&intake, &reason);
		json_decref(record.json);
	}
	CHECK_U64(intake.lost, 3);
	CHECK_INT(read_record(&intake, &record), INTAKE_END);
	intake_fini(&intake);
	close(fd);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_STR(messages, "t: warning: in: line 1, byte 3: skipped: not what it promises\n"
			    "t: warning: in: further skipped lines: 1\n"
			    "t: warning: in: line 4, byte 3: skipped: not what it promises\n");
	free(messages);
}

/* Return the value of the only series on the page. */
static uint64_t
counted(const struct metrics_page *page)
{
	struct metrics_sample sample = {.value = UINT64_MAX};
	size_t at = 0;
	CHECK(metrics_page_next(page, &at, &sample));
	CHECK_STR(sample.family, "nic_health_monitor_malformed_lines_total");
	CHECK_STR(sample.tail, "{stage=\"emit\"}");
	return sample.value;
}

static void
counts_lost(void)
{
	static const struct rec_error reason = {.reason = "not what it promises"};
	static const char input[] = GOOD "torn\n" GOOD "{}\n";
	struct metrics_page page;
	struct intake intake;
	struct intake_record record;
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *metrics = metrics_open(page.fd);
	int fd = check_feed(input, strlen(input), 100);

	intake_init(&intake, fd, "in");
	intake.malformed = intake_malformed(metrics, "emit");
	CHECK_U64(counted(&page), 0);
	for (enum intake_status status; (status = read_record(&intake, &record)) != INTAKE_END;) {
		if (status != INTAKE_RECORD)
			continue;
		if (intake.line_number == 3)
			intake_reject(&intake, &reason);
		json_decref(record.json);
	}
	CHECK_U64(counted(&page), 3);
	intake_fini(&intake);
	close(fd);
	metrics_close(metrics);
	metrics_page_fini(&page);
}

static void
text_is_kept(void)
{
	static const char line[] = "{ \"kind\" : \"x\" ,\"n\":1.50 }  ";
	struct intake intake;
	struct intake_record record;
	int fd = check_feed(line, strlen(line), 3);
	intake_init(&intake, fd, "in");
	if (CHECK_INT(read_record(&intake, &record), INTAKE_RECORD)) {
		CHECK_STR(record.text, line);
		CHECK_INT((int64_t)record.length, (int64_t)strlen(line));
		json_decref(record.json);
	}
	intake_fini(&intake);
	close(fd);
}

static void
polled(void)
{
	struct intake intake;
	struct intake_record record;
	int ends[2];
	if (!CHECK(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0))
		return;
	intake_init(&intake, ends[0], "in");
	CHECK_INT(intake_next(&intake, &record), INTAKE_MORE);
	CHECK(write(ends[1], GOOD "{\"kind\"", 20) == 20);
	CHECK_INT(intake_fill(&intake), LINE_OK);
	if (CHECK_INT(intake_next(&intake, &record), INTAKE_RECORD))
		json_decref(record.json);
	CHECK_INT(intake_next(&intake, &record), INTAKE_MORE);
	close(ends[1]);
	CHECK_INT(intake_fill(&intake), LINE_END);
	check_capture(STDERR_FILENO);
	CHECK_INT(intake_next(&intake, &record), INTAKE_LOST);
	free(check_captured_new(STDERR_FILENO));
	CHECK_INT(intake_next(&intake, &record), INTAKE_END);
	intake_fini(&intake);
	close(ends[0]);
}

static void
read_error(void)
{
	struct intake intake;
	struct intake_record record;
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	intake_init(&intake, fd, "in");
	CHECK_INT(intake_fill(&intake), LINE_ERROR);
	CHECK_INT(intake_next(&intake, &record), INTAKE_MORE);
	intake_fini(&intake);
	close(fd);
}

static const struct check_test tests[] = {
	{"torn, non-UTF-8, non-JSON and kindless lines are lost, the others are records", answers},
	{"a burst of bad lines is one warning and a count", bursts},
	{"a warning names input, line, byte and reason", burst_wording},
	{"a line of 2 MiB is lost and the next one read", oversized},
	{"a record of 1 MiB is read, one byte more is lost", largest},
	{"a record that the caller rejects counts as lost", rejected},
	{"lost lines are counted on the metrics page", counts_lost},
	{"a record has the exact text of its line", text_is_kept},
	{"a non-blocking input never blocks", polled},
	{"a failed read is not the end of the input", read_error},
};
CHECK_MAIN(tests)
