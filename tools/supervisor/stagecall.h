/* stagecall - a stage of the pipeline run once, as the service would start it. */
#ifndef SUPERVISOR_STAGECALL_H
#define SUPERVISOR_STAGECALL_H

#include "pipeline.h"
#include "stagerun.h"

struct stagecall {
	const char *programs; /* the directory of the stages */
	const struct service_options *options;
	enum stage_id stage;
	const char *const *extra;          /* further arguments, NULL-terminated */
	const struct stagerun_text *input; /* its stdin; NULL: nothing */
	unsigned scan_ends;                /* as in struct stagerun_request */
	uint64_t time_ns;                  /* that it may take */
};

/* Runs it. 0, or -1 with errno; stagerun_fini() in both cases. */
int stagecall_run(const struct stagecall *call, struct stagerun *run);

/* True when the stage has said that it cannot work as it was told to. */
bool stagecall_was_refused(const struct stagerun *run);

#endif
