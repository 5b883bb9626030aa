/* journaljson - the entries of journalctl -o json, json-seq and json-sse, and the records of the
 * other tools, which are JSON objects too. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_JOURNALJSON_H
#define LOGMATCH_JOURNALJSON_H

#include "logline.h"
#include "strbuf.h"

/* The line begins as an object with keys does. Other braces begin texts of the kernel:
 * `{1}[Hardware Error]: ...`. */
bool journaljson_is_object(const char *line, size_t length);

/* Reads an object. A MESSAGE that was several times in the entry has a newline between. 0, or -1
 * when memory ran out. */
int journaljson_parse(const char *line, size_t length, struct strbuf *scratch, struct logline *out);

#endif
