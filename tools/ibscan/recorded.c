/* recorded - scan records from a file or a pipe instead of sysfs. */
#include "recorded.h"

#include "diag.h"
#include "filter.h"
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static int
take(void *context, struct intake *intake, struct intake_record *record)
{
	struct rec_error error;
	enum output_status status = output_take(context, record->json, &error);
	int saved_errno = errno;

	if (status == OUTPUT_BAD)
		intake_reject(intake, &error);
	json_decref(record->json);
	errno = saved_errno;
	return status == OUTPUT_FAILED ? -1 : 0;
}

static void
lose(void *context)
{
	output_lose(context);
}

static int
end(void *context)
{
	return output_end(context);
}

/* Nothing at all looks like a node that has nothing to say. Who stops the program does not wait for a scan. */
static void
warn_empty(const char *name, const struct output *output, int status)
{
	if (status == 0 && output_is_empty(output) && !stop_requested())
		diag_warn("%s: no scan in it, which begins with a scan.begin: nothing is written",
			name);
}

int
recorded_run(const char *path, struct output *output)
{
	const struct filter filter = {
		.take = take,
		.lose = lose,
		.end = end,
		.output_name = output_name(output),
	};
	if (strcmp(path, "-") == 0) {
		int status = filter_run(&filter, output);
		warn_empty("stdin", output, status);
		return status;
	}

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diag_open_failure(path);
	int status = filter_run_file(&filter, output, fd, path);
	close(fd);
	warn_empty(path, output, status);
	return status;
}
