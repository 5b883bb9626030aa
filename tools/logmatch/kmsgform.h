/* kmsgform - the records of /dev/kmsg, and how they are put together again where they come line by
 * line. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_KMSGFORM_H
#define LOGMATCH_KMSGFORM_H

#include "logline.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Reads a record, its first line and the lines of its dictionary after it, into a LOGLINE_MESSAGE,
 * a LOGLINE_OTHER (what a program wrote, or a fragment, flag `+` or `c`, that continues another
 * record) or a LOGLINE_BAD. In the text `\xNN` is the byte again that the kernel wrote so. 0, or -1
 * when memory ran out. */
int kmsgform_parse(const char *record, size_t length, struct strbuf *scratch, struct logline *out);

/* True when the line is the first one of a record. `text`, which may be NULL, is then its message,
 * with the escapes. */
bool kmsgform_is_record(const char *line, size_t length, struct logline_span *text);

/* Where the record ends whose first line ends at offset `end`: after the lines of its dictionary
 * that are here, before the last one's line feed, or at `length`. */
size_t kmsgform_record_end(const char *bytes, size_t end, size_t length);

/* True when nothing more belongs to the record: its last line names the device. */
bool kmsgform_is_whole(const char *record, size_t length);

/* ` KEY=value`, which stands after a record. */
bool kmsgform_is_dictionary(const char *line, size_t length);

/* True when the line, without its line feed, is the first of a record that has a dictionary: of one
 * about a device. Pure. */
bool kmsgform_begins(const char *line, size_t length);

/* True when the line goes on with the record that is held; nothing is while `held` is empty.
 * Pure. */
bool kmsgform_goes_on(const struct strbuf *held, const char *line, size_t length);

/* Adds a line, or a few with line feeds between. 0, or -1 with errno when memory ran out. */
int kmsgform_hold(struct strbuf *held, const char *bytes, size_t length);

#endif
