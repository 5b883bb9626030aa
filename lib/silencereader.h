/* silencereader - the file of silences, as programs read it that obey it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SILENCEREADER_H
#define NHM_SILENCEREADER_H

#include "silence.h"

#include <sys/stat.h>

/* As silences_read(), of the file that is `path`: a line that is left out is said, and counted. */
int silencereader_read(
	struct silences *out, const char *path, const char *text, size_t length, size_t *refused);

/* All zeros but for the path: nothing is in force. */
struct silencereader {
	const char *path;         /* NULL: there is none */
	struct stat seen;         /* the file, when it was read last */
	int failure;              /* the errno of reading it since then, which was said; 0: none */
	char *text;               /* what is in force, as the file had it; NULL: nothing */
	struct silences silences; /* the same */
};

/* Reads the file again if it has changed. A file that cannot be read, which is tried again, or of
 * which a line will not do, is said once, and what was in force stays; at the start the lines hold
 * that will do. True when what is in force may have changed. */
bool silencereader_refresh(struct silencereader *reader);
void silencereader_fini(struct silencereader *reader);

#endif
