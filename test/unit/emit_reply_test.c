/* Unit tests of emit's reply: collecting an HTTP reply in bounded memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/reply.h"

#include "check.h"

#include <stdlib.h>

/* Accept lines, each with its line end, as libcurl delivers them. */
static void
take(struct reply *reply, const char *lines)
{
	while (*lines != '\0') {
		size_t length = strcspn(lines, "\n") + 1;
		CHECK(reply_accept_header(reply, lines, length));
		lines += length;
	}
}

static struct reply *
reply_new(void)
{
	struct reply *reply = malloc(sizeof *reply);
	reply_clear(reply);
	return reply;
}

static void
headers(void)
{
	struct reply *reply = reply_new();
	take(reply, "HTTP/2 200 \r\ncontent-type: a:b\r\nX-Empty:\r\nx-spaces: \t a b "
		    "\t\r\n:\r\nno colon\r\nX-Twice: 1\r\n"
		    "x-twice: 2\r\n");
	CHECK(!reply->headers_whole);
	take(reply, "\r\n");
	CHECK(reply->headers_whole);
	CHECK_STR(reply_header(reply, "Content-Type"), "a:b");
	CHECK_STR(reply_header(reply, "x-empty"), "");
	CHECK_STR(reply_header(reply, "X-Spaces"), "a b");
	CHECK_STR(reply_header(reply, "X-Twice"), "2");
	CHECK_STR(reply_header(reply, "a:b"), NULL);
	CHECK_STR(reply_header(reply, "HTTP/2 200"), NULL);
	/* Trailers. */
	take(reply, "grpc-status: 0\r\n");
	CHECK_STR(reply_header(reply, "grpc-status"), "0");
	CHECK_STR(reply_header(reply, "Content-Type"), "a:b");
	reply_clear(reply);
	CHECK(!reply->headers_whole);
	CHECK_STR(reply_header(reply, "grpc-status"), NULL);
	free(reply);
}

static void
interim(void)
{
	struct reply *reply = reply_new();
	take(reply, "HTTP/1.1 103 Early: Hints\r\nX-A: early\r\n\r\nHTTP/1.1 200 OK\r\n");
	CHECK(!reply->headers_whole);
	CHECK_STR(reply_header(reply, "X-A"), NULL);
	take(reply, "X-B: late\r\n\r\n");
	CHECK_STR(reply_header(reply, "X-B"), "late");
	CHECK(reply->headers_whole);
	free(reply);
}

static void
bounded_headers(void)
{
	/* Whatever the length of the lines, headers are kept up to the limit, and the next one is
	 * rejected. */
	static const char *const lines[] = {
		"a:\r\n", "a:", ":", "", "\n", "name: value\r\n", "x: \r\n"};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		struct reply *reply = reply_new();
		size_t count = 0;
		check_row("line %zu", i);
		while (count <= REPLY_HEADERS_MAX_BYTES &&
			reply_accept_header(reply, lines[i], strlen(lines[i])))
			count++;
		CHECK(count <= REPLY_HEADERS_MAX_BYTES);
		CHECK(reply->headers_length <= sizeof reply->headers);
		CHECK_STR(reply_header(reply, "other"), NULL);
		/* Interim replies count, too. */
		CHECK(!reply_accept_header(reply, "HTTP/1.1 200 OK\r\n", 17));
		free(reply);
	}
	struct reply *reply = reply_new();
	char *line = check_repeat_new('x', REPLY_HEADERS_MAX_BYTES);
	line[0] = ':';
	CHECK(!reply_accept_header(reply, line, REPLY_HEADERS_MAX_BYTES));
	CHECK(reply_accept_header(reply, line, REPLY_HEADERS_MAX_BYTES - 1));
	CHECK_U64(strlen(reply_header(reply, "")), REPLY_HEADERS_MAX_BYTES - 2);
	free(line);
	free(reply);
}

static void
nul_in_headers(void)
{
	struct reply *reply = reply_new();
	CHECK(reply_accept_header(reply, "a\0b: c\0d\r\n", 10));
	CHECK(reply_accept_header(reply, "e: f\r\n", 6));
	CHECK_STR(reply_header(reply, "a"), "c");
	CHECK_STR(reply_header(reply, "e"), "f");
	free(reply);
}

static void
bodies(void)
{
	struct reply *reply = reply_new();
	char *piece = check_repeat_new('b', 1000);
	reply_accept_body(reply, "", 0);
	CHECK_STR(reply->body, "");
	for (size_t sum = 1000; sum < 2 * REPLY_BODY_KEPT_BYTES; sum += 1000) {
		reply_accept_body(reply, piece, 1000);
		CHECK_U64(reply->body_length,
			sum < REPLY_BODY_KEPT_BYTES ? sum : REPLY_BODY_KEPT_BYTES);
		CHECK_U64(strlen(reply->body), reply->body_length);
	}
	reply_clear(reply);
	CHECK_STR(reply->body, "");
	free(piece);
	free(reply);
}

static const struct check_test tests[] = {
	{"headers and trailers are found by their names", headers},
	{"an interim reply is dropped", interim},
	{"endless headers are rejected without an overflow", bounded_headers},
	{"a NUL ends a name or a value", nul_in_headers},
	{"a body is kept up to its limit", bodies},
};
CHECK_MAIN(tests)
