/* Unit tests of emit's grpc: the frame around a message, and the verdict for a reply. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/grpc.h"

#include "check.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>

static void
prefix(void)
{
	static const struct {
		size_t length;
		unsigned char bytes[GRPC_PREFIX_BYTES];
	} rows[] = {
		{0, {0, 0, 0, 0, 0}},
		{1, {0, 0, 0, 0, 1}},
		{0x1234, {0, 0, 0, 0x12, 0x34}},
		{0xFEDCBA98, {0, 0xFE, 0xDC, 0xBA, 0x98}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		unsigned char out[GRPC_PREFIX_BYTES];
		check_row("%zu bytes", rows[i].length);
		grpc_prefix(out, rows[i].length);
		CHECK(memcmp(out, rows[i].bytes, sizeof out) == 0);
	}
}

static void
timeout(void)
{
	static const struct {
		uint64_t ms;
		const char *text;
	} rows[] = {
		{0, "0m"},
		{1, "1m"},
		{5000, "5000m"},
		{99999999, "99999999m"},
		{100000000, "100000S"},
		{100000001, "100001S"},
		{UINT64_C(99999999) * 1000, "99999999S"},
		{UINT64_C(99999999) * 1000 + 1, "1666667M"},
		{UINT64_C(99999999) * 60000 + 1, "1666667H"},
		{UINT64_MAX, "99999999H"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char out[GRPC_TIMEOUT_SIZE];
		grpc_timeout(out, rows[i].ms);
		CHECK_STR(out, rows[i].text);
	}
}

static void
every_status(void)
{
	static const struct {
		const char *status, *name;
		enum verdict verdict;
	} rows[] = {
		{"1", "CANCELLED", VERDICT_RETRY},
		{"2", "UNKNOWN", VERDICT_DOUBTED},
		{"3", "INVALID_ARGUMENT", VERDICT_REFUSED},
		{"4", "DEADLINE_EXCEEDED", VERDICT_RETRY},
		{"5", "NOT_FOUND", VERDICT_REFUSED},
		{"6", "ALREADY_EXISTS", VERDICT_REFUSED},
		{"7", "PERMISSION_DENIED", VERDICT_RETRY},
		{"8", "RESOURCE_EXHAUSTED", VERDICT_LESS},
		{"9", "FAILED_PRECONDITION", VERDICT_REFUSED},
		{"10", "ABORTED", VERDICT_RETRY},
		{"11", "OUT_OF_RANGE", VERDICT_REFUSED},
		{"12", "UNIMPLEMENTED", VERDICT_RETRY},
		{"13", "INTERNAL", VERDICT_RETRY},
		{"14", "UNAVAILABLE", VERDICT_RETRY},
		{"15", "DATA_LOSS", VERDICT_REFUSED},
		{"16", "UNAUTHENTICATED", VERDICT_RETRY},
		{"17", "UNKNOWN (grpc-status 17)", VERDICT_DOUBTED},
		{"4294967295", "UNKNOWN (grpc-status 4294967295)", VERDICT_DOUBTED},
	};
	const struct http_reply reply = {.status = 200, .body = ""};
	char reason[VERDICT_REASON_SIZE];

	CHECK_INT(grpc_eval(&reply, "0", NULL, reason), VERDICT_ACCEPTED);
	CHECK_INT(grpc_eval(&reply, "0", "whatever", reason), VERDICT_ACCEPTED);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char with_message[VERDICT_REASON_SIZE];
		check_row("grpc-status %s", rows[i].status);
		CHECK_INT(grpc_eval(&reply, rows[i].status, NULL, reason), rows[i].verdict);
		CHECK_STR(reason, rows[i].name);
		CHECK_INT(grpc_eval(&reply, rows[i].status, "", reason), rows[i].verdict);
		CHECK_STR(reason, rows[i].name);
		CHECK_INT(grpc_eval(&reply, rows[i].status, "not now", reason), rows[i].verdict);
		snprintf(with_message, sizeof with_message, "%s: not now", rows[i].name);
		CHECK_STR(reason, with_message);
	}
}

static void
event_of_another_node(void)
{
	static const struct {
		const char *status, *message;
		enum verdict verdict;
	} rows[] = {
		{"7",
			"event 3: caller may only report health events for node \"a\", got \"b\" "
			"(cross-node reporting requires an allowlisted service account token)",
			VERDICT_REFUSED},
		{"7", "event%200: caller may only report health events for node \"a\", got \"b\"",
			VERDICT_REFUSED},
		/* About the client. */
		{"7",
			"token is bound to node \"b\" but was presented to the connector on node "
			"\"a\"",
			VERDICT_RETRY},
		{"7", "caller may only report", VERDICT_RETRY},
		{"14", "event 0: caller may only report health events for node \"a\", got \"b\"",
			VERDICT_RETRY},
	};
	const struct http_reply reply = {.status = 200, .body = ""};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[VERDICT_REASON_SIZE];
		check_row("%s", rows[i].message);
		CHECK_INT(grpc_eval(&reply, rows[i].status, rows[i].message, reason),
			rows[i].verdict);
	}
}

static void
status_garbage(void)
{
	static const char *const rows[] = {"", " ", "-1", "+1", "14 ", "1e1", "0x0", "00x",
		"UNAVAILABLE", "4294967296", "\xFF"};
	const struct http_reply reply = {.status = 200, .body = ""};
	char reason[VERDICT_REASON_SIZE];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("grpc-status \"%s\"", rows[i]);
		CHECK_INT(grpc_eval(&reply, rows[i], "text", reason), VERDICT_RETRY);
		CHECK_HAS(reason, "a grpc-status that is not a number");
		CHECK(utf8_is_valid(reason));
	}
	CHECK_STR(reason, "a grpc-status that is not a number: \xEF\xBF\xBD");
}

static void
http_only(void)
{
	static const struct {
		long status;
		const char *reason;
	} rows[] = {
		{200, "HTTP 200 without a grpc-status"},
		{204, "HTTP 204"},
		{301, "HTTP 301"},
		{400, "HTTP 400"},
		{401, "HTTP 401"},
		{403, "HTTP 403"},
		{404, "HTTP 404"},
		{429, "HTTP 429"},
		{502, "HTTP 502"},
		{503, "HTTP 503"},
		{504, "HTTP 504"},
		{999, "HTTP 999"},
	};
	char reason[VERDICT_REASON_SIZE];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct http_reply reply = {.status = rows[i].status, .body = "<html>"};
		check_row("HTTP %ld", rows[i].status);
		CHECK_INT(grpc_eval(&reply, NULL, NULL, reason), VERDICT_RETRY);
		CHECK_STR(reason, rows[i].reason);
	}
	/* The gRPC status counts if there is one, unless the HTTP status contradicts it. */
	const struct http_reply broken = {.status = 503, .body = ""};
	CHECK_INT(grpc_eval(&broken, "3", "no", reason), VERDICT_REFUSED);
	CHECK_STR(reason, "INVALID_ARGUMENT: no");
	CHECK_INT(grpc_eval(&broken, "0", NULL, reason), VERDICT_RETRY);
	CHECK_STR(reason, "HTTP 503");
}

static void
problem(void)
{
	/* Whatever else has arrived by then. */
	struct http_reply reply = {.problem = "connection reset", .status = 200, .body = ""};
	char reason[VERDICT_REASON_SIZE];
	CHECK_INT(grpc_eval(&reply, "0", NULL, reason), VERDICT_RETRY);
	CHECK_STR(reason, "connection reset");
	CHECK_INT(grpc_eval(&reply, "3", "no", reason), VERDICT_RETRY);
	CHECK_STR(reason, "connection reset");

	char *endless = check_repeat_new('x', 10000);
	reply.problem = endless;
	CHECK_INT(grpc_eval(&reply, NULL, NULL, reason), VERDICT_RETRY);
	CHECK_U64(strlen(reason), VERDICT_REASON_SIZE - 1);
	free(endless);
}

static void
messages(void)
{
	static const struct {
		const char *message, *text;
	} rows[] = {
		{"plain", "plain"},
		{"a%20b", "a b"},
		{"100%25", "100%"},
		{"%e2%82%ac%E2%82%AC", "\xE2\x82\xAC\xE2\x82\xAC"},
		/* Broken escapes stay. */
		{"%", "%"},
		{"x%", "x%"},
		{"%4", "%4"},
		{"%4g", "%4g"},
		{"%g4", "%g4"},
		{"%%41", "%A"},
		{"%2", "%2"},
		/* Nothing is decoded twice. */
		{"%2541", "%41"},
		/* Control characters stay for diag to escape; those at the ends are cut. */
		{"a%0Ab", "a\nb"},
		{"%20%0A a \t\r\n", "a"},
		/* Invalid UTF-8. */
		{"a%FFb", "a\xEF\xBF\xBD"
			  "b"},
		{"a%00b", "a\xEF\xBF\xBD"
			  "b"},
		{"\xC3(", "\xEF\xBF\xBD("},
		{"%C3", "\xEF\xBF\xBD"},
	};
	const struct http_reply reply = {.status = 200, .body = ""};
	char reason[VERDICT_REASON_SIZE];
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char expected[VERDICT_REASON_SIZE];
		check_row("%s", rows[i].message);
		CHECK_INT(grpc_eval(&reply, "3", rows[i].message, reason), VERDICT_REFUSED);
		snprintf(expected, sizeof expected, "INVALID_ARGUMENT: %s", rows[i].text);
		CHECK_STR(reason, expected);
	}
}

static void
long_messages(void)
{
	/* Try each position of the cut within a character. */
	const struct http_reply reply = {.status = 200, .body = ""};
	char reason[VERDICT_REASON_SIZE], message[4000];
	for (size_t start = 0; start < 5; start++) {
		size_t length = start;
		memset(message, 'x', start);
		while (length + 4 < sizeof message) {
			memcpy(message + length, "\xF0\x9F\x98\x80", 4);
			length += 4;
		}
		message[length] = '\0';
		check_row("%zu bytes before", start);
		CHECK_INT(grpc_eval(&reply, "14", message, reason), VERDICT_RETRY);
		CHECK(strlen(reason) >= VERDICT_REASON_SIZE - 4);
		CHECK(utf8_is_valid(reason));
		CHECK(strstr(reason, "\xEF\xBF\xBD") == NULL);
	}
}

static void
codes(void)
{
	static const struct {
		const char *problem, *status, *name;
	} rows[] = {
		{NULL, "0", "OK"},
		{NULL, "1", "Canceled"},
		{NULL, "3", "InvalidArgument"},
		{NULL, "16", "Unauthenticated"},
		{NULL, "17", "Unknown"},
		{NULL, "14 ", "Unavailable"},
		{NULL, NULL, "Unavailable"},
		{"connection reset", "3", "Unavailable"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct http_reply reply = {
			.problem = rows[i].problem, .status = 200, .body = ""};
		check_row("%zu", i);
		CHECK_STR(grpc_code_name(grpc_code(&reply, rows[i].status)), rows[i].name);
	}
}

static const struct check_test tests[] = {
	{"a message's prefix has no compression flag and a big-endian length", prefix},
	{"a deadline has at most eight digits, and is never shorter than requested", timeout},
	{"every gRPC status has its verdict and its name", every_status},
	{"PERMISSION_DENIED because an event names another node rejects, any other one retries",
		event_of_another_node},
	{"a grpc-status that is not a number means that no gRPC server answered: retry",
		status_garbage},
	{"a reply without grpc-status is retried, whatever its HTTP status", http_only},
	{"an incomplete reply is retried, whatever its status", problem},
	{"messages are percent-decoded and made valid UTF-8", messages},
	{"long messages are cut between UTF-8 characters", long_messages},
	{"every reply has a gRPC code, named as in Go", codes},
};
CHECK_MAIN(tests)
