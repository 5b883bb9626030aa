/* recorded - scan records from a file or a pipe instead of sysfs. */
#include "recorded.h"

#include "diag.h"
#include "filter.h"

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

int
recorded_run(const char *path, struct output *output)
{
	const struct filter filter = {
		.take = take,
		.lose = lose,
		.end = end,
		.output_name = output_name(output),
	};
	if (strcmp(path, "-") == 0)
		return filter_run(&filter, output);

	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		diag_error("%s: %s", path, strerror(errno));
		return errno == EACCES ? EXIT_NO_PERMISSION : EXIT_NO_INPUT;
	}
	int status = filter_run_file(&filter, output, fd, path);
	close(fd);
	return status;
}
