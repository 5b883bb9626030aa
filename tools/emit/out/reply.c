/* reply - collects an HTTP response in bounded memory. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reply.h"

#include "text.h"

#include <string.h>
#include <strings.h>

void
reply_clear(struct reply *reply)
{
	reply->body_received = reply->body_length = 0;
	reply->received = reply->headers_length = 0;
	reply->headers_whole = false;
	reply->body[0] = '\0';
}

/* Store a string with a NUL; cut it at an embedded NUL. It always fits: a line takes at most one
 * byte more than its length, which `received` counts. */
static void
keep(struct reply *reply, const char *text, size_t length)
{
	length = strnlen(text, length);
	memcpy(reply->headers + reply->headers_length, text, length);
	reply->headers_length += length;
	reply->headers[reply->headers_length++] = '\0';
}

bool
reply_accept_header(struct reply *reply, const char *line, size_t length)
{
	static const char status[] = "HTTP/";

	if (length >= REPLY_HEADERS_MAX_BYTES - reply->received)
		return false;
	reply->received += length + 1;
	if (length >= strlen(status) && memcmp(line, status, strlen(status)) == 0) {
		reply->headers_length = 0;
		reply->headers_whole = false;
		return true;
	}

	while (length > 0 && text_is_space(line[length - 1]))
		length--;
	if (length == 0)
		reply->headers_whole = true;
	const char *colon = memchr(line, ':', length);
	if (colon == NULL)
		return true;
	const char *value = colon + 1, *end = line + length;
	while (value < end && text_is_space(*value))
		value++;
	keep(reply, line, (size_t)(colon - line));
	keep(reply, value, (size_t)(end - value));
	return true;
}

bool
reply_accept_body(struct reply *reply, const char *bytes, size_t length)
{
	size_t room = REPLY_BODY_KEPT_BYTES - reply->body_length;
	reply->body_received += length;
	if (length > room)
		length = room;
	memcpy(reply->body + reply->body_length, bytes, length);
	reply->body_length += length;
	reply->body[reply->body_length] = '\0';
	return reply->body_received <= REPLY_BODY_MAX_BYTES;
}

const char *
reply_header(const struct reply *reply, const char *name)
{
	const char *at = reply->headers, *end = at + reply->headers_length, *found = NULL;
	while (at < end) {
		const char *value = at + strlen(at) + 1;
		if (strcasecmp(at, name) == 0)
			found = value;
		at = value + strlen(value) + 1;
	}
	return found;
}
