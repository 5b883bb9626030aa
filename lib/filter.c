/* filter - the loop of a program that takes records on stdin and writes records to stdout. */
#include "filter.h"

#include "diag.h"
#include "stop.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* Waits for input, or for a request to stop. False when there will be no more. */
static bool
fill(struct intake *intake, int *status)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	if (stop_poll(&input, 1, UINT64_MAX) < 0) {
		if (errno != EINTR)
			*status = diag_io_failure("stdin");
		return *status == 0 && !stop_requested();
	}
	if (intake_fill(intake) == LINE_ERROR)
		*status = diag_io_failure("stdin");
	return *status == 0;
}

/* Takes what was read. False at the end of input. */
static bool
take_all(const struct filter *filter, void *context, struct intake *intake, int *status)
{
	struct intake_record record;

	while (*status == 0) {
		switch (intake_next(intake, &record)) {
		case INTAKE_RECORD:
			if (filter->take(context, intake, &record) < 0)
				*status = diag_io_failure("stdout");
			break;
		case INTAKE_LOST:
			if (filter->lose != NULL)
				filter->lose(context);
			break;
		case INTAKE_MORE:
			return true;
		case INTAKE_ERROR:
			*status = diag_io_failure("stdin");
			break;
		case INTAKE_END:
			return false;
		}
	}
	return false;
}

int
filter_run(const struct filter *filter, void *context)
{
	struct intake intake;
	int status = 0;

	intake_init(&intake, STDIN_FILENO, "stdin");
	while (take_all(filter, context, &intake, &status) && fill(&intake, &status))
		;
	if (status == 0 && filter->end(context) < 0)
		status = diag_io_failure("stdout");
	intake_fini(&intake);
	return status;
}

int
filter_pass(struct intake_record *record)
{
	record->text[record->length] = '\n'; /* where the line's NUL is */
	int status = line_write(STDOUT_FILENO, record->text, record->length + 1);
	json_decref(record->json);
	return status;
}
