/* silencefile - the file of silences, changed by one person at a time, and as a whole. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICSILENCE_SILENCEFILE_H
#define NICSILENCE_SILENCEFILE_H

#include "silence.h"

#include <stdint.h>

/* Becomes the user and the group that the directory of `path` belongs to, if this is root: the
 * service, which is that user, is to be able to read what is written there. 0, or an exit code
 * after saying why. */
int silencefile_become_owner(const char *path);

/* Takes the lock of the file, until the process ends. 0, or an exit code after saying why. */
int silencefile_lock(const char *path);

/* Reads it; without the file there are no silences. A file of which a line will not do is refused:
 * changed, it would lose the line. 0, or an exit code after saying why. */
int silencefile_read(const char *path, struct silences *out);

/* Replaces it by those that hold at `now_ns`, nanoseconds since 1970, but for the one with the id
 * `ended` (NULL: none of them), and `added` (nullable) after them. 0, or an exit code after saying
 * why. */
int silencefile_write(const char *path, const struct silences *silences, uint64_t now_ns,
	const char *ended, const json_t *added);

#endif
