/* readall - waits for the next line or record of a blocking descriptor. Programs use poll(2)
 * instead. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef READALL_H
#define READALL_H

#include "intake.h"

static inline enum line_status
read_line(struct line_reader *reader, char **line, size_t *length)
{
	enum line_status status;
	while ((status = line_next(reader, line, length)) == LINE_MORE) {
		if (line_fill(reader) == LINE_ERROR)
			return LINE_ERROR;
	}
	return status;
}

static inline enum intake_status
read_record(struct intake *intake, struct intake_record *record)
{
	enum intake_status status;
	while ((status = intake_next(intake, record)) == INTAKE_MORE) {
		if (intake_fill(intake) == LINE_ERROR)
			return INTAKE_END;
	}
	return status;
}

#endif
