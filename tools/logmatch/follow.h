/* follow - the kernel's log as it grows: each record once, also over restarts. */
#ifndef LOGMATCH_FOLLOW_H
#define LOGMATCH_FOLLOW_H

#include "analysis.h"
#include "session.h"

/* Takes the records behind `position`, which it moves, until a request to stop or the end of what is no device. Returns the exit code, after a message. */
int follow_run(const char *path, struct analysis *analysis, struct session_position *position);

#endif
