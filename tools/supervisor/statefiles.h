/* statefiles - the files that are kept beside the state file. Pure. */
#ifndef SUPERVISOR_STATEFILES_H
#define SUPERVISOR_STATEFILES_H

#include "pipeline.h"

#include <limits.h>

struct statefiles {
	char log_state[PATH_MAX]; /* what logmatch remembers */
	char acks[PATH_MAX];      /* what emit acknowledges */
};

/* Sets the three paths of `service`, which point to `path` and into `files`; an empty `path` is none of them. NULL, or why that will not do. */
const char *statefiles_take(
	struct statefiles *files, struct service_options *service, const char *path);

#endif
