/* intake - reads a filter's input: parses lines into records, and warns once per burst of bad
 * lines. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "intake.h"

#include "diag.h"

#include <inttypes.h>
#include <stdio.h>

void
intake_init(struct intake *intake, int fd, const char *name)
{
	*intake = (struct intake){.name = name};
	line_reader_init(&intake->lines, fd, LINE_RECORD_MAX_BYTES);
}

struct metrics_cell *
intake_malformed(struct metrics *metrics, const char *stage)
{
	static const struct metrics_family lines = {"nic_health_monitor_malformed_lines_total",
		"Malformed input lines that a stage skipped.", METRICS_COUNTER, METRICS_LASTING};
	return metrics_cell(metrics, &lines, &(struct metrics_label){"stage", stage}, 1);
}

/* The first line of a burst was reported when it was read; report the number of the others. */
static void
end_burst(struct intake *intake)
{
	if (intake->burst > 1)
		diag_warn("%s: further skipped lines: %" PRIu64, intake->name, intake->burst - 1);
	intake->burst = 0;
}

void
intake_fini(struct intake *intake)
{
	end_burst(intake);
	line_reader_fini(&intake->lines);
}

enum line_status
intake_fill(struct intake *intake)
{
	return line_fill(&intake->lines);
}

void
intake_reject(struct intake *intake, const struct rec_error *error)
{
	intake->accepted = false;
	intake->lost++;
	metrics_add(intake->malformed, 1);
	if (intake->burst++ == 0)
		diag_warn("%s: line %" PRIu64 ", byte %zu: skipped: %s", intake->name,
			intake->line_number, error->offset, error->reason);
}

/* A good record ends a burst. But the caller may still reject a record (intake_reject), so end the
 * burst when it asks for the next line. */
static void
settle(struct intake *intake)
{
	if (intake->accepted)
		end_burst(intake);
	intake->accepted = false;
}

static void
parse(struct intake *intake, struct intake_record *record, struct rec_error *error)
{
	if (intake->recall == NULL) {
		record->json = rec_parse_new(record->text, record->length, error);
		return;
	}
	record->json = recall_parse_new(intake->recall, record->text, record->length, error);
	record->memo = recall_memo(intake->recall);
}

enum intake_status
intake_next(struct intake *intake, struct intake_record *out)
{
	struct rec_error error = {.offset = 0};

	settle(intake);
	switch (line_next(&intake->lines, &out->text, &out->length)) {
	case LINE_MORE:
		return INTAKE_MORE;
	case LINE_ERROR: /* returned only by line_fill() */
	case LINE_END:
		return INTAKE_END;
	case LINE_OVERSIZED:
		snprintf(error.reason, sizeof error.reason, "longer than %zu bytes",
			LINE_RECORD_MAX_BYTES);
		break;
	case LINE_OK:
		out->json = NULL;
		out->memo = NULL;
		intake->accepted = intake->read != NULL &&
				   intake->read(intake->reader, out->text, out->length);
		if (intake->accepted)
			break;
		parse(intake, out, &error);
		intake->accepted = out->json != NULL;
		break;
	}
	intake->line_number++;
	if (intake->accepted)
		return INTAKE_RECORD;
	intake_reject(intake, &error);
	return INTAKE_LOST;
}
