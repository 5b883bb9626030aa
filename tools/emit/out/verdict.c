/* verdict - what a server's response means. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

#include "text.h"
#include "utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

void
verdict_explain(
	char reason[VERDICT_REASON_SIZE], const char *what, const char *detail, size_t length)
{
	while (length > 0 && text_is_space(*detail)) {
		detail++;
		length--;
	}
	while (length > 0 && text_is_space(detail[length - 1]))
		length--;

	size_t used = utf8_sanitize(what, strlen(what), reason, VERDICT_REASON_SIZE);
	if (length == 0)
		return;
	used += utf8_sanitize(": ", 2, reason + used, VERDICT_REASON_SIZE - used);
	utf8_sanitize(detail, length, reason + used, VERDICT_REASON_SIZE - used);
}

enum verdict
verdict_of_http(const struct http_reply *reply, char reason[VERDICT_REASON_SIZE])
{
	char what[32];

	if (reply->problem != NULL) {
		verdict_explain(reason, reply->problem, NULL, 0);
		return VERDICT_RETRY;
	}
	if (reply->status >= 200 && reply->status <= 299)
		return VERDICT_ACCEPTED;
	snprintf(what, sizeof what, "HTTP %ld", reply->status);
	verdict_explain(reason, what, reply->body, reply->length);
	switch (reply->status) {
	case 400: /* Bad Request */
	/* Content Too Large: fewer events may be accepted, and a rejected batch is halved */
	case 413:
	case 415: /* Unsupported Media Type */
	case 422: /* Unprocessable Content */
		return VERDICT_REFUSED;
	default:
		return VERDICT_RETRY;
	}
}

uint64_t
doubt_note(struct doubt *doubt, uint64_t number, uint64_t now_ns)
{
	if (doubt->number != number)
		*doubt = (struct doubt){.number = number};
	if (doubt->latest_ns != 0 && now_ns > doubt->latest_ns)
		doubt->spent_ns += now_ns - doubt->latest_ns;
	doubt->latest_ns = now_ns;
	return doubt->spent_ns;
}

void
doubt_pause(struct doubt *doubt)
{
	doubt->latest_ns = 0;
}
