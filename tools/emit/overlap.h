/* overlap - rejects a file that has two uses: as a sink, an input, the spool or another file that
 * emit keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OVERLAP_H
#define EMIT_OVERLAP_H

#include "run.h"

/* Check that the sinks, the `inputs` (NULL-terminated; `-` is stdin), the spool (NULL: none) with
 * the files beside it, the acks and the silences are different files, under any name; several
 * inputs, and several sinks, may be one file. Only regular files count, and files that do not exist
 * yet. Return 0, or the exit code after reporting the error. */
int overlap_check(const struct run_options *options, const char *spool_path, char *const *inputs);

#endif
