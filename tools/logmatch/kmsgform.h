/* kmsgform - the records of /dev/kmsg: `priority,sequence,microseconds,flag[,more];text`. */
#ifndef LOGMATCH_KMSGFORM_H
#define LOGMATCH_KMSGFORM_H

#include "lineform.h"

/* Reads a record's first line, into a LOGLINE_MESSAGE, a LOGLINE_OTHER (a fragment, flag `+`, that continues another record) or a LOGLINE_BAD.
 * In the text `\xNN` is the byte again that the kernel wrote so. 0, or -1 when memory ran out. */
int kmsgform_parse(
	const char *line, size_t length, struct lineform_scratch *scratch, struct logline *out);

/* ` KEY=value`, which stands behind a record. */
bool kmsgform_is_dictionary(const char *line, size_t length);

#endif
