/* filter - the main loop of a program that reads records on stdin and writes to stdout. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "filter.h"

#include "diag.h"
#include "stop.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

static int
output_failure(const struct filter *filter)
{
	return diag_io_failure(filter->output_name != NULL ? filter->output_name : "stdout");
}

/* Wait for input or for a stop request, while the output has a reader. Return false when reading is
 * over. */
static bool
fill(const struct filter *filter, void *context, struct intake *intake, int *status)
{
	struct pollfd fds[] = {{.fd = intake->lines.fd, .events = POLLIN},
		{.fd = filter->output_name == NULL ? STDOUT_FILENO : -1},
		{.fd = filter->also_fd, .events = POLLIN}};
	uint64_t patience_ns = UINT64_MAX;

	if (filter->settle != NULL && filter->settle(context, &patience_ns) < 0) {
		*status = output_failure(filter);
		return false;
	}
	int ready = stop_poll(fds, filter->also_fd > 0 ? 3 : 2, patience_ns);
	/* Read input first: a filter that has nothing to write may outlive its reader. */
	if (ready > 0 && fds[0].revents == 0 && fds[1].revents != 0) {
		errno = (fds[1].revents & POLLNVAL) != 0 ? EBADF : EPIPE;
		*status = output_failure(filter);
		return false;
	}
	if (ready == 0 || (ready > 0 && fds[0].revents == 0))
		return true;
	if (ready < 0) {
		if (errno != EINTR)
			*status = diag_io_failure(intake->name);
		if (*status == 0 && stop_requested() && filter->stop != NULL) {
			filter->stop(context);
			return true;
		}
		return *status == 0 && !stop_requested();
	}
	if (intake_fill(intake) == LINE_ERROR)
		*status = diag_io_failure(intake->name);
	return *status == 0;
}

/* Process the lines read so far. Return false at the end of input. */
static bool
accept_all(const struct filter *filter, void *context, struct intake *intake, int *status)
{
	struct intake_record record;

	while (*status == 0) {
		switch (intake_next(intake, &record)) {
		case INTAKE_RECORD:
			if (filter->accept(context, intake, &record) < 0)
				*status = output_failure(filter);
			break;
		case INTAKE_LOST:
			if (filter->lose != NULL)
				filter->lose(context);
			break;
		case INTAKE_MORE:
			return true;
		case INTAKE_END:
			return false;
		}
	}
	return false;
}

int
filter_run(const struct filter *filter, void *context)
{
	return filter_run_file(filter, context, STDIN_FILENO, "stdin");
}

int
filter_run_file(const struct filter *filter, void *context, int fd, const char *name)
{
	struct intake intake;
	int status = 0;

	intake_init(&intake, fd, name);
	intake.malformed = filter->malformed;
	intake.read = filter->read;
	intake.reader = context;
	intake.recall = filter->recall;
	while (accept_all(filter, context, &intake, &status) &&
		fill(filter, context, &intake, &status))
		;
	if (status == 0 && filter->end != NULL && filter->end(context) < 0)
		status = output_failure(filter);
	intake_fini(&intake);
	return status;
}

int
filter_pass(struct intake_record *record)
{
	struct filter_passed passed = {0};
	int status = filter_pass_on(&passed, record);
	return filter_flush(&passed) < 0 ? -1 : status;
}

int
filter_pass_on(struct filter_passed *passed, struct intake_record *record)
{
	int status = 0;
	record->text[record->length] = '\n'; /* in place of the line's NUL */
	if (passed->length > 0 && passed->text + passed->length != record->text)
		status = filter_flush(passed);
	if (passed->length == 0)
		passed->text = record->text;
	passed->length += record->length + 1;
	json_decref(record->json);
	return status;
}

int
filter_flush(struct filter_passed *passed)
{
	size_t length = passed->length;
	passed->length = 0;
	return length > 0 ? line_write(STDOUT_FILENO, passed->text, length) : 0;
}
