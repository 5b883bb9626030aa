/* places - creates a directory for each stage that keeps files, and recognises these files.
 *
 * For `--state DIR/state.json` the stages use DIR/ctreval/state.json, DIR/logmatch/logmatch.json,
 * DIR/correlate/correlate.json and DIR/emit/acks.json, and each may write only in its own directory
 * (confine.h). DIR has a link with each file's name, for people and for earlier versions, which
 * kept the files there. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PLACES_H
#define SUPERVISOR_PLACES_H

#include "pipeline.h"

#include <stdbool.h>

/* Create the directory of `path` and the parent of that directory. If an earlier version left a
 * file of the same name in the parent, move it to `path`. Then create the link in the parent.
 * Failures show when the path is used. Do nothing for NULL, and where a stage would reject its
 * file. */
void places_settle(const char *path);

/* Create only the directories, if they could not be created yet, as on a full disk. Return false
 * while they are missing. */
bool places_make(const char *path);

/* Return true if the file `path` is one of the state files or the acks file of the options, or the
 * link to it. Its stage would replace it, and places_settle() would take another file of its name
 * for that of an earlier version. */
bool places_have(const struct service_options *options, const char *path);

#endif
