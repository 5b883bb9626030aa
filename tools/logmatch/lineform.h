/* lineform - one line of a kernel log, read in whatever form it comes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LINEFORM_H
#define LOGMATCH_LINEFORM_H

#include "logline.h"
#include "strbuf.h"

/* Reads the line, of `length` bytes without its newline; a carriage return before that is dropped.
 * A record of /dev/kmsg may have the lines of its dictionary with it. `after_kmsg`: the line before
 * was `of_kmsg`, so that this one may be of its dictionary. Pure but for `scratch`, empty
 * memory that grows, for a text that is not in the line as it is (escapes, byte arrays): what is in
 * it is valid until the next call. 0, or -1 with errno when memory ran out.
 *
 * LOGLINE_AUTO accepts every form and never fails on a text: what is not a prefix belongs to the
 * text, and only torn JSON is LOGLINE_BAD. The other formats accept their own forms only (see
 * lineform.c), and the records of other tools. */
int lineform_parse(enum logline_format format, const char *line, size_t length, bool after_kmsg,
	struct strbuf *scratch, struct logline *out);

#endif
