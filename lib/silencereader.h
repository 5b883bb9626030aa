/* silencereader - reads the silences file and follows its changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SILENCEREADER_H
#define NHM_SILENCEREADER_H

#include "silence.h"

#include <sys/stat.h>

/* The same as silences_read() for the file `path`. Report each rejected line and count it in
 * `*refused`. */
int silencereader_read(
	struct silences *out, const char *path, const char *text, size_t length, size_t *refused);

/* All zeros but for the path: no silence is in force. */
struct silencereader {
	const char *path;         /* NULL: no file */
	struct stat seen;         /* status of the file when last read */
	int failure;              /* errno of the last attempt, already reported; 0: none */
	char *text;               /* text of the silences in force; NULL: none */
	struct silences silences; /* the same, decoded */
};

/* Read the file again if it changed. If it cannot be read (retried) or a line is invalid, report
 * that once and keep the silences in force; at the start, use the valid lines. Return whether the
 * silences in force may have changed. */
bool silencereader_refresh(struct silencereader *reader);
void silencereader_fini(struct silencereader *reader);

#endif
