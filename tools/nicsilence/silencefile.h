/* silencefile - reads and replaces the file of silences, under a lock. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICSILENCE_SILENCEFILE_H
#define NICSILENCE_SILENCEFILE_H

#include "silence.h"

#include <stdbool.h>
#include <stdint.h>

/* If this is root, become the owner and group of the directory of `path`: the service, which runs
 * as that user, must be able to read the file, and root rejects the files of other users. Without
 * the directory there are no silences: that is an error only if the file `changes`. Return 0, or an
 * exit code after a message. */
int silencefile_become_owner(const char *path, bool changes);

/* Lock the file until the process ends. Return 0, or an exit code after a message. */
int silencefile_lock(const char *path);

/* Read the file; no file means no silences. Reject a file with a malformed line, because rewriting
 * it would lose that line. Return 0, or an exit code after a message. */
int silencefile_read(const char *path, struct silences *out);

/* Replace the file: keep the silences that hold at `now_ns`, ns since 1970, except the one with the
 * id `ended` (NULL: none), and append `added` (may be NULL). Return 0, or an exit code after a
 * message. */
int silencefile_write(const char *path, const struct silences *silences, uint64_t now_ns,
	const char *ended, const json_t *added);

#endif
