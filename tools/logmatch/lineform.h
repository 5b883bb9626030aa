/* lineform - the reader of one line of a kernel log, in whatever form it comes. */
#ifndef LOGMATCH_LINEFORM_H
#define LOGMATCH_LINEFORM_H

#include "logline.h"

/* Room that is taken for a text that is not in the line as it is (escapes, byte arrays). All zeros at first. */
struct lineform_scratch {
	char *bytes;
	size_t capacity;
};

void lineform_scratch_fini(struct lineform_scratch *scratch);

/* At least `size` bytes, whose content is lost at the next call; the buffer's. NULL with errno when memory ran out. */
char *lineform_scratch_room(struct lineform_scratch *scratch, size_t size);

/* Reads the line, of `length` bytes without its newline; a carriage return before that is dropped. `after_kmsg`: the line before was `of_kmsg`, so that
 * this one may be of its dictionary. Pure but for the scratch buffer, which is valid until the next call. 0, or -1 with errno when memory ran out.
 *
 * LOGLINE_AUTO takes every form and never fails on a text: what is not a prefix belongs to the text, and only torn JSON is LOGLINE_BAD. The other formats take
 * their own forms only (see lineform.c), and the records of other tools. */
int lineform_parse(enum logline_format format, const char *line, size_t length, bool after_kmsg,
	struct lineform_scratch *scratch, struct logline *out);

/* The records of /dev/kmsg: one read(2) gives one, `length` bytes, with the dictionary's lines behind the first. */
int lineform_parse_kmsg(
	const char *record, size_t length, struct lineform_scratch *scratch, struct logline *out);

#endif
