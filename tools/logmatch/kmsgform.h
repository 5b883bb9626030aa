/* kmsgform - parses records of /dev/kmsg, and joins records that come line by line. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_KMSGFORM_H
#define LOGMATCH_KMSGFORM_H

#include "logline.h"
#include "strbuf.h"

#include <stdbool.h>
#include <stddef.h>

/* Parse a record (its first line and the lines of its dictionary) into LOGLINE_MESSAGE,
 * LOGLINE_BAD, or LOGLINE_OTHER: a program's line, or a fragment (flag `+` or `c`) that continues
 * another record. Decodes `\xNN` in the text. Return 0, or -1 when memory ran out. */
int kmsgform_parse(const char *record, size_t length, struct strbuf *scratch, struct logline *out);

/* Return true if the line is the first line of a record. `text` (may be NULL) is then its message,
 * not decoded. */
bool kmsgform_is_record(const char *line, size_t length, struct logline_span *text);

/* Return where the record ends whose first line ends at offset `end`: after the dictionary lines
 * present, before the line feed of the last one, or at `length`. */
size_t kmsgform_record_end(const char *bytes, size_t end, size_t length);

/* Return true if the record is complete: its last line names the device. */
bool kmsgform_is_whole(const char *record, size_t length);

/* Return true for a line ` KEY=value` of a dictionary. */
bool kmsgform_is_dictionary(const char *line, size_t length);

/* Return true if the line, without its line feed, is the first of a record that has a dictionary:
 * one about a device. Pure. */
bool kmsgform_begins(const char *line, size_t length);

/* Return true if the line continues the held record; false if `held` is empty. Pure. */
bool kmsgform_continues(const struct strbuf *held, const char *line, size_t length);

/* Append one or more lines to the held record. Return 0, or -1 with errno when memory ran out. */
int kmsgform_hold(struct strbuf *held, const char *bytes, size_t length);

#endif
