/* journaljson - parses JSON objects: entries of journalctl -o json, json-seq and json-sse, and
 * records of the other tools. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_JOURNALJSON_H
#define LOGMATCH_JOURNALJSON_H

#include "logline.h"
#include "strbuf.h"

/* Return true if the line begins like a JSON object with keys. Messages of the kernel can also
 * begin with a brace: `{1}[Hardware Error]: ...`. */
bool journaljson_is_object(const char *line, size_t length);

/* Parse an object. Several MESSAGE values of one entry are joined by newlines. Return 0, or -1 when
 * memory ran out. */
int journaljson_parse(const char *line, size_t length, struct strbuf *scratch, struct logline *out);

#endif
