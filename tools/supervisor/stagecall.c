/* stagecall - a stage of the pipeline run once, as the service would start it. */
#include "stagecall.h"

#include "clock.h"
#include "proc.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

int
stagecall_run(const struct stagecall *call, struct stagerun *run)
{
	char path[PATH_MAX];
	char **argv = pipeline_argv_new(call->stage, call->options, call->extra);
	*run = (struct stagerun){0};
	if (argv == NULL)
		return -1;
	snprintf(path, sizeof path, "%s/%s", call->programs, pipeline_plan[call->stage].program);
	const struct stagerun_request request = {
		.path = path,
		.argv = argv,
		.input = call->input != NULL ? call->input->bytes : NULL,
		.input_length = call->input != NULL ? call->input->length : 0,
		.scan_ends = call->scan_ends,
		.deadline_ns = clock_monotonic_ns() + call->time_ns,
	};
	int status = stagerun_run(&request, run);
	int saved_errno = errno;
	free(argv);
	errno = saved_errno;
	return status;
}

bool
stagecall_was_refused(const struct stagerun *run)
{
	return run->ended && proc_end_is_permanent(&run->info);
}
