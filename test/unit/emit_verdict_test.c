/* Unit tests of emit's verdict: the reason given for a server's reply. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/verdict.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static void
words(void)
{
	static const struct {
		const char *what, *detail;
		size_t length;
		const char *reason;
	} rows[] = {
		{"HTTP 503", NULL, 0, "HTTP 503"},
		{"HTTP 503", "busy", 4, "HTTP 503: busy"},
		{"HTTP 503", "b", 1, "HTTP 503: b"},
		{"", "busy", 4, ": busy"},
		/* No more than was received. */
		{"HTTP 503", "busy", 3, "HTTP 503: bus"},
		{"HTTP 503", "busy", 0, "HTTP 503"},
		{"HTTP 503", " busy", 0, "HTTP 503"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[VERDICT_REASON_SIZE];
		check_row("%s, %zu bytes of %s", rows[i].what, rows[i].length,
			rows[i].detail != NULL ? rows[i].detail : "nothing");
		verdict_explain(reason, rows[i].what, rows[i].detail, rows[i].length);
		CHECK_STR(reason, rows[i].reason);
	}
}

static void
white_space(void)
{
	static const struct {
		const char *detail, *reason;
	} rows[] = {
		{" busy", "503: busy"},
		{"busy ", "503: busy"},
		{"\tbusy\t", "503: busy"},
		{"\nbusy\n", "503: busy"},
		{"\rbusy\r\n", "503: busy"},
		{" \t\r\n too busy \n\r\t ", "503: too busy"},
		{"x", "503: x"},
		{" x ", "503: x"},
		{" ", "503"},
		{"\r\n", "503"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[VERDICT_REASON_SIZE];
		check_row("row %zu", i);
		verdict_explain(reason, "503", rows[i].detail, strlen(rows[i].detail));
		CHECK_STR(reason, rows[i].reason);
	}
}

static void
bytes(void)
{
	char reason[VERDICT_REASON_SIZE];
	verdict_explain(reason, "a\xFF", "b\0c\xC3\xA4\x80", 6);
	CHECK_STR(reason, "a\xEF\xBF\xBD: b\xEF\xBF\xBD"
			  "c\xC3\xA4\xEF\xBF\xBD");
}

/* A long text, a long detail, or both: as much as fits. */
static void
too_long(void)
{
	static const size_t lengths[] = {0, 1, 2, 195, 196, 197, 198, 199, 200, 201, 10000};
	for (size_t i = 0; i < CHECK_COUNT(lengths) * CHECK_COUNT(lengths); i++) {
		size_t first = lengths[i / CHECK_COUNT(lengths)];
		size_t second = lengths[i % CHECK_COUNT(lengths)];
		/* The bytes behind the reason must not change. */
		struct {
			char reason[VERDICT_REASON_SIZE], behind[16000];
		} *room = malloc(sizeof *room);
		char *what = check_repeat_new('w', first), *detail = check_repeat_new('d', second);
		char *whole = malloc(first + second + 3);
		memset(room, '#', sizeof *room);
		sprintf(whole, "%s%s%s", what, second > 0 ? ": " : "", detail);
		if (strlen(whole) >= VERDICT_REASON_SIZE)
			whole[VERDICT_REASON_SIZE - 1] = '\0';
		verdict_explain(room->reason, what, detail, second);
		check_row("%zu and %zu bytes", first, second);
		CHECK_STR(room->reason, whole);
		CHECK_INT(room->behind[0], '#');
		free(room);
		free(what);
		free(detail);
		free(whole);
	}
	char reason[VERDICT_REASON_SIZE];
	char *what = check_repeat_new('w', VERDICT_REASON_SIZE - 4);
	verdict_explain(reason, what, "\xC3\xA4", 2);
	/* A character that does not fit whole is left out. */
	CHECK_U64(strlen(reason), VERDICT_REASON_SIZE - 2);
	free(what);
}

/* The verdict for each status of a web server. */
static void
statuses(void)
{
	static const struct {
		long status;
		enum verdict verdict;
	} rows[] = {
		{100, VERDICT_RETRY},
		{199, VERDICT_RETRY},
		{200, VERDICT_ACCEPTED},
		{202, VERDICT_ACCEPTED},
		{299, VERDICT_ACCEPTED},
		{300, VERDICT_RETRY},
		{301, VERDICT_RETRY},
		{400, VERDICT_REFUSED},
		{401, VERDICT_RETRY},
		{404, VERDICT_RETRY},
		{412, VERDICT_RETRY},
		{413, VERDICT_REFUSED},
		{414, VERDICT_RETRY},
		{415, VERDICT_REFUSED},
		{416, VERDICT_RETRY},
		{421, VERDICT_RETRY},
		{422, VERDICT_REFUSED},
		{423, VERDICT_RETRY},
		{429, VERDICT_RETRY},
		{500, VERDICT_RETRY},
		{503, VERDICT_RETRY},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[VERDICT_REASON_SIZE] = "", expected[40];
		const struct http_reply reply = {
			.status = rows[i].status, .body = " why\n", .length = 5};
		snprintf(expected, sizeof expected, "HTTP %ld: why", rows[i].status);
		check_row("%ld", rows[i].status);
		CHECK_INT(verdict_of_http(&reply, reason), rows[i].verdict);
		if (rows[i].verdict != VERDICT_ACCEPTED)
			CHECK_STR(reason, expected);
	}
}

static void
no_answer(void)
{
	char reason[VERDICT_REASON_SIZE];
	const struct http_reply reply = {
		.problem = "no connection", .status = 200, .body = "x", .length = 1};
	CHECK_INT(verdict_of_http(&reply, reason), VERDICT_RETRY);
	CHECK_STR(reason, "no connection");
}

static const struct check_test tests[] = {
	{"a reason is the event and, after a colon, the server's text", words},
	{"white space around the server's text is cut", white_space},
	{"invalid UTF-8 is replaced", bytes},
	{"each HTTP status is accepted, refused or retried", statuses},
	{"without a reply an event is retried, whatever else is set", no_answer},
	{"a long reason is cut between UTF-8 characters, and nothing is written beyond it",
		too_long},
};
CHECK_MAIN(tests)
