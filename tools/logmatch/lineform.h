/* lineform - parses one line of a kernel log in any known form. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LINEFORM_H
#define LOGMATCH_LINEFORM_H

#include "logline.h"
#include "strbuf.h"

/* Parse a line of `length` bytes without its newline; a trailing carriage return is dropped. A
 * record of /dev/kmsg may include the lines of its dictionary. `after_kmsg`: the previous line was
 * `of_kmsg`, so this one may be of its dictionary. Return 0, or -1 with errno when memory ran out.
 *
 * `scratch` is empty memory that grows. It holds a text that had to be decoded (escapes, byte
 * arrays), valid until the next call. Pure otherwise.
 *
 * LOGLINE_AUTO accepts every form and any text: what is no known prefix belongs to the text, and
 * only broken JSON is LOGLINE_BAD. The other formats accept only their own forms (see lineform.c)
 * and records of other tools. */
int lineform_parse(enum logline_format format, const char *line, size_t length, bool after_kmsg,
	struct strbuf *scratch, struct logline *out);

#endif
