/* overlap - rejects a sink that writes to a file which emit reads or keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OVERLAP_H
#define EMIT_OVERLAP_H

#include "run.h"

/* Check that no sink is one of the `inputs` (NULL-terminated; `-` is stdin), the spool (NULL: none)
 * or a file of the options, under any name. Only regular files count, and files that do not exist
 * yet. Return 0, or the exit code after reporting the error. */
int overlap_check(const struct run_options *options, const char *spool_path, char *const *inputs);

#endif
