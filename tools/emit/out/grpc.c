/* grpc - frames a gRPC message and evaluates the response. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "grpc.h"

#include "array.h"
#include "num.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* RETRY: the status is about the moment, the client or its access, not about an event. A handler
 * that throws an exception returns UNKNOWN, which may be either. */
static const struct {
	const char *name;
	enum verdict verdict;
	const char *go_name;
} statuses[GRPC_CODES] = {
	[0] = {"OK", VERDICT_ACCEPTED, "OK"},
	[1] = {"CANCELLED", VERDICT_RETRY, "Canceled"},
	[2] = {"UNKNOWN", VERDICT_DOUBTED, "Unknown"},
	[3] = {"INVALID_ARGUMENT", VERDICT_REFUSED, "InvalidArgument"},
	[4] = {"DEADLINE_EXCEEDED", VERDICT_RETRY, "DeadlineExceeded"},
	[5] = {"NOT_FOUND", VERDICT_REFUSED, "NotFound"},
	[6] = {"ALREADY_EXISTS", VERDICT_REFUSED, "AlreadyExists"},
	[7] = {"PERMISSION_DENIED", VERDICT_RETRY, "PermissionDenied"},
	[8] = {"RESOURCE_EXHAUSTED", VERDICT_LESS, "ResourceExhausted"},
	[9] = {"FAILED_PRECONDITION", VERDICT_REFUSED, "FailedPrecondition"},
	[10] = {"ABORTED", VERDICT_RETRY, "Aborted"},
	[11] = {"OUT_OF_RANGE", VERDICT_REFUSED, "OutOfRange"},
	[12] = {"UNIMPLEMENTED", VERDICT_RETRY, "Unimplemented"},
	[13] = {"INTERNAL", VERDICT_RETRY, "Internal"},
	[14] = {"UNAVAILABLE", VERDICT_RETRY, "Unavailable"},
	[15] = {"DATA_LOSS", VERDICT_REFUSED, "DataLoss"},
	[16] = {"UNAUTHENTICATED", VERDICT_RETRY, "Unauthenticated"},
};

#define HTTP_OK 200

/* Part of the message with which NVSentinel denies a publisher events of any node but its own. */
#define OTHER_NODE "caller may only report health events for node "

void
grpc_prefix(unsigned char out[GRPC_PREFIX_BYTES], size_t length)
{
	out[0] = 0;
	for (int i = 1; i < GRPC_PREFIX_BYTES; i++)
		out[i] = (unsigned char)(length >> (8 * (GRPC_PREFIX_BYTES - 1 - i)));
}

void
grpc_timeout(char out[GRPC_TIMEOUT_SIZE], uint64_t timeout_ms)
{
	static const struct {
		uint64_t ms;
		char letter;
	} units[] = {{1, 'm'}, {1000, 'S'}, {60000, 'M'}, {3600000, 'H'}};
	const uint64_t most = 99999999; /* limit of 8 digits */

	size_t unit = 0;
	uint64_t count = timeout_ms;
	while (count > most && unit + 1 < ARRAY_COUNT(units)) {
		unit++;
		count = timeout_ms / units[unit].ms + (timeout_ms % units[unit].ms > 0);
	}
	if (count > most)
		count = most;
	snprintf(out, GRPC_TIMEOUT_SIZE, "%" PRIu64 "%c", count, units[unit].letter);
}

/* Decode %XX, up to `size` bytes. Copy malformed sequences as they are, so that no message is lost
 * (PROTOCOL-HTTP2.md, "Status-Message"). Return the number of bytes. */
static size_t
percent_decode(const char *text, char *out, size_t size)
{
	size_t length = 0;
	for (const char *at = text; *at != '\0' && length < size; at++) {
		int high = *at == '%' ? text_hex_digit(at[1]) : -1;
		int low = high >= 0 ? text_hex_digit(at[2]) : -1;
		char byte = *at;
		if (low >= 0) {
			byte = (char)(high << 4 | low);
			at += 2;
		}
		out[length++] = byte;
	}
	return length;
}

/* Evaluate a response without grpc-status: it came from a proxy or from a server of another kind.
 * https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
static enum verdict
eval_http(long status, char reason[VERDICT_REASON_SIZE])
{
	char what[64];
	if (status == HTTP_OK)
		snprintf(what, sizeof what, "HTTP 200 without a grpc-status");
	else
		snprintf(what, sizeof what, "HTTP %ld", status);
	verdict_explain(reason, what, NULL, 0);
	return VERDICT_RETRY;
}

enum verdict
grpc_eval(const struct http_reply *reply, const char *status, const char *message,
	char reason[VERDICT_REASON_SIZE])
{
	/* Each decoded byte takes at least one byte of the reason, so this is large enough,
	 * wherever the last character is cut. */
	char what[64], decoded[VERDICT_REASON_SIZE];
	uint64_t number;

	if (reply->problem != NULL) {
		verdict_explain(reason, reply->problem, NULL, 0);
		return VERDICT_RETRY;
	}
	if (status == NULL)
		return eval_http(reply->status, reason);
	if (num_parse_u64(status, UINT32_MAX, &number) != NUM_OK) {
		verdict_explain(
			reason, "a grpc-status that is not a number", status, strlen(status));
		return VERDICT_RETRY;
	}
	/* Do not trust grpc-status 0 with an HTTP error. */
	if (number == 0)
		return reply->status == HTTP_OK ? VERDICT_ACCEPTED
						: eval_http(reply->status, reason);

	/* A client treats statuses that it does not know as UNKNOWN. */
	if (number < GRPC_CODES)
		snprintf(what, sizeof what, "%s", statuses[number].name);
	else
		snprintf(what, sizeof what, "UNKNOWN (grpc-status %" PRIu64 ")", number);
	size_t length = message != NULL ? percent_decode(message, decoded, sizeof decoded) : 0;
	verdict_explain(reason, what, decoded, length);
	/* An event keeps its node's name, so it would hold up all later events for ever. */
	if (number == GRPC_PERMISSION_DENIED &&
		memmem(decoded, length, OTHER_NODE, strlen(OTHER_NODE)) != NULL)
		return VERDICT_REFUSED;
	return number < GRPC_CODES ? statuses[number].verdict : VERDICT_DOUBTED;
}

unsigned
grpc_code(const struct http_reply *reply, const char *status)
{
	uint64_t number;
	if (reply->problem != NULL || status == NULL ||
		num_parse_u64(status, UINT32_MAX, &number) != NUM_OK)
		return GRPC_UNAVAILABLE;
	return number < GRPC_CODES ? (unsigned)number : GRPC_UNKNOWN;
}

const char *
grpc_code_name(unsigned code)
{
	return statuses[code].go_name;
}
