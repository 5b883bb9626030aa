/* files - reads the logs in files and on stdin, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_FILES_H
#define LOGMATCH_FILES_H

#include "analysis.h"

/* Read the files, or stdin if there are none, to their ends or until a stop request. `has_now`:
 * --now is given. Return the exit code of the first file that could not be read, after a message,
 * or 0. */
int files_read(const char *const *paths, size_t count, enum logline_format format, bool has_now,
	struct analysis *analysis);

#endif
