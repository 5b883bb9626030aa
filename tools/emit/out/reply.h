/* reply - collects an HTTP response in bounded memory. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_REPLY_H
#define EMIT_REPLY_H

#include <stdbool.h>
#include <stddef.h>

/* Limit of all headers and trailers, including those of interim responses. */
#define REPLY_HEADERS_MAX_BYTES ((size_t)32 << 10)

/* Limit of a body; a longer one ends the connection, because reading it would delay other sinks. */
#define REPLY_BODY_MAX_BYTES ((size_t)4 << 20)

/* A body is kept up to this size; the rest is read and dropped. */
#define REPLY_BODY_KEPT_BYTES ((size_t)64 << 10)

struct reply {
	size_t body_received; /* bytes, including dropped ones */
	bool headers_whole;   /* the empty line after the headers has arrived */
	size_t body_length;
	size_t received;       /* bytes of all header lines, plus one per line */
	size_t headers_length; /* of the kept ones: `name`, NUL, `value`, NUL, ... */
	char headers[REPLY_HEADERS_MAX_BYTES];
	char body[REPLY_BODY_KEPT_BYTES + 1];
};

/* Prepare for the next response. */
void reply_clear(struct reply *reply);

/* Accept a header or trailer line as received. A status line discards earlier headers, which were
 * those of an interim response. Return false if the limit is exceeded. */
bool reply_accept_header(struct reply *reply, const char *line, size_t length);

/* Accept a part of the body; drop what exceeds REPLY_BODY_KEPT_BYTES. Return false if
 * REPLY_BODY_MAX_BYTES is exceeded. */
bool reply_accept_body(struct reply *reply, const char *bytes, size_t length);

/* Return a header or trailer by its case-insensitive name; the last one of several. NULL: none. */
const char *reply_header(const struct reply *reply, const char *name);

#endif
