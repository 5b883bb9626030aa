/* places - a directory for each stage that keeps something.
 *
 * Of `--state DIR/state.json` the stages have DIR/ctreval/state.json, DIR/logmatch/logmatch.json
 * and DIR/emit/acks.json, and each may write in its own directory only (confine.h). For people and
 * for the versions before, DIR has a link of each name, which had the files themselves. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PLACES_H
#define SUPERVISOR_PLACES_H

/* Makes the directory of such a path, and the one that it is in. If an earlier version left a file
 * of the same name there, moves it to its new place; then makes the link. A failure shows when the
 * path is used. NULL does nothing. */
void places_settle(const char *path);

#endif
