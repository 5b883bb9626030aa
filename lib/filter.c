/* filter - the loop of a program that takes records on stdin and writes records to stdout. */
#include "filter.h"

#include "diag.h"

#include <unistd.h>

int
filter_run(const struct filter *filter, void *context)
{
	struct intake intake;
	struct intake_record record;
	int status = 0;

	intake_init(&intake, STDIN_FILENO, "stdin");
	for (bool more = true; more && status == 0;) {
		switch (intake_read(&intake, &record)) {
		case INTAKE_RECORD:
			if (filter->take(context, &intake, &record) < 0)
				status = diag_io_failure("stdout");
			break;
		case INTAKE_LOST:
			if (filter->lose != NULL)
				filter->lose(context);
			break;
		case INTAKE_MORE:
			break;
		case INTAKE_ERROR:
			status = diag_io_failure("stdin");
			break;
		case INTAKE_END:
			more = false;
			break;
		}
	}
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
