/* files - the logs in files and on stdin, one after the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_FILES_H
#define LOGMATCH_FILES_H

#include "analysis.h"

/* Reads the files, or stdin when there are none, to their ends or to a request to stop. `has_now`:
 * the time of reading is given. Returns the exit code, after a message: that of the first file that
 * could not be read. */
int files_read(const char *const *paths, size_t count, enum logline_format format, bool has_now,
	struct analysis *analysis);

#endif
