/* fuzz_answer - parses arbitrary bytes as a server's response, with head, body and trailers: it
 * stays within its buffers and gets one verdict and a readable reason, as gRPC and as HTTP. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/grpc.h"
#include "../../tools/emit/out/reply.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A response while it is received. */
struct answer {
	struct reply *reply;
	long status; /* of the last status line, as in libcurl */
	bool whole;  /* complete, and no part of it was too long */
};

static void
take_header(struct answer *answer, const char *line, size_t length)
{
	static const char version[] = "HTTP/1.1 ";
	char *copy = malloc(length + 1);
	assert(copy != NULL);
	memcpy(copy, line, length);
	copy[length] = '\0';
	answer->whole = reply_accept_header(answer->reply, copy, length);
	if (strncmp(copy, version, strlen(version)) == 0)
		answer->status = strtol(copy + strlen(version), NULL, 10) % 1000;
	free(copy);
	assert(answer->reply->headers_length <= sizeof answer->reply->headers);
}

/* Accept header lines up to an empty line or the end. Return the rest. */
static const char *
take_headers(struct answer *answer, const char *at, const char *end)
{
	while (at < end && answer->whole) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *next = feed != NULL ? feed + 1 : end;
		bool is_last = next - at <= 2 && strchr("\r\n", *at) != NULL;
		take_header(answer, at, (size_t)(next - at));
		at = next;
		if (is_last)
			break;
	}
	return at;
}

/* Accept the body in two pieces, because a server may split it anywhere. */
static void
take_body(struct answer *answer, const char *at, const char *end)
{
	size_t length = (size_t)(end - at), first = length / 3;
	answer->whole = answer->whole && reply_accept_body(answer->reply, at, first) &&
			reply_accept_body(answer->reply, at + first, length - first);
	assert(answer->reply->body_length <= REPLY_BODY_KEPT_BYTES);
	assert(answer->reply->body[answer->reply->body_length] == '\0');
}

/* A header that is found must lie within the buffer. */
static const char *
find(const struct reply *reply, const char *name)
{
	const char *value = reply_header(reply, name);
	const char *end = reply->headers + reply->headers_length;
	assert(value == NULL || (value > reply->headers && value + strlen(value) < end));
	return value;
}

static void
check_reason(enum verdict verdict, const char reason[VERDICT_REASON_SIZE])
{
	if (verdict == VERDICT_ACCEPTED)
		return;
	assert(*reason != '\0' && strnlen(reason, VERDICT_REASON_SIZE) < VERDICT_REASON_SIZE);
	assert(utf8_is_valid(reason));
}

static void
check_meaning(const struct answer *answer)
{
	const struct http_reply reply = {.problem = answer->whole ? NULL : "not whole",
		.status = answer->status,
		.body = answer->reply->body,
		.length = answer->reply->body_length};
	char reason[VERDICT_REASON_SIZE] = "";
	const char *status = find(answer->reply, "grpc-status");

	enum verdict verdict =
		grpc_eval(&reply, status, find(answer->reply, "Grpc-Message"), reason);
	check_reason(verdict, reason);
	if (verdict == VERDICT_ACCEPTED)
		assert(answer->whole && answer->status == 200 && strtol(status, NULL, 10) == 0);
	*reason = '\0';
	verdict = verdict_of_http(&reply, reason);
	check_reason(verdict, reason);
	assert((verdict == VERDICT_ACCEPTED) == (answer->whole && answer->status / 100 == 2));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Static because it is large. */
	static struct reply reply;
	struct answer answer = {.reply = &reply, .whole = true};
	const char *at = (const char *)data, *end = at + size;

	reply_clear(&reply);
	do
		at = take_headers(&answer, at, end);
	while (end - at >= 5 && memcmp(at, "HTTP/", 5) == 0 && answer.whole);
	/* A NUL ends the body and begins the trailers. */
	const char *nul = at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
	take_body(&answer, at, nul != NULL ? nul : end);
	if (nul != NULL)
		take_headers(&answer, nul + 1, end);
	answer.whole = answer.whole && reply.headers_whole;
	check_meaning(&answer);
	return 0;
}
