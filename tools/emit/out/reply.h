/* reply - an answer as it comes in, in bounded memory. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_REPLY_H
#define EMIT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

/* Longest headers and trailers of an answer together, with those of interim answers before it. */
#define REPLY_HEADERS_MAX_BYTES ((size_t)32 << 10)

/* A longer body is the end of the connection: nobody needs it, and to read it takes time from
 * others. */
#define REPLY_BODY_MAX_BYTES ((size_t)4 << 20)

/* A body is kept up to here; what is beyond is read and dropped. */
#define REPLY_BODY_KEPT_BYTES ((size_t)64 << 10)

struct reply {
	size_t body_received; /* bytes of it, with those that were dropped */
	bool headers_whole;   /* the empty line after them has come */
	size_t body_length;
	size_t received;       /* bytes of headers, all together, and one more for each line */
	size_t headers_length; /* of those that are kept: `name`, NUL, `value`, NUL, ... */
	char headers[REPLY_HEADERS_MAX_BYTES];
	char body[REPLY_BODY_KEPT_BYTES + 1];
};

/* Makes ready for the next answer. */
void reply_clear(struct reply *reply);

/* Accepts a line of the header or the trailer, as it came. A status line begins anew: what came
 * before was an interim answer. False when there is more than an answer may have. */
bool reply_accept_header(struct reply *reply, const char *line, size_t length);

/* Accepts some of the body; what is beyond REPLY_BODY_KEPT_BYTES is dropped. False when there is
 * more than an answer may have. */
bool reply_accept_body(struct reply *reply, const char *bytes, size_t length);

/* A header or trailer by its name, in any case: of several the last one. NULL: there was none. */
const char *reply_header(const struct reply *reply, const char *name);

#endif
