/* reading - reads events into a board of the fleet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "reading.h"

#include "diag.h"
#include "pace.h"

#include <inttypes.h>
#include <string.h>

int
reading_begin(struct reading *reading)
{
	return layoutfiles_read(&reading->files, &reading->topology);
}

bool
reading_line(void *context, const char *text, size_t length)
{
	struct reading *reading = context;
	reading->read = sighting_read_new(text, length);
	return reading->read != NULL;
}

static void
report_left_out(struct reading *reading)
{
	diag_warn("%" PRIu64 " events are not shown: they come from more than %d nodes, are more "
		  "than %d within a day, or come from a node with %d active conditions",
		reading->board.left_out, BOARD_NODES_MAX, BOARD_EVENTS_MAX, BOARD_CONDITIONS_MAX);
	reading->reported = reading->board.left_out;
}

int
reading_accept(void *context, struct intake *intake, struct intake_record *record)
{
	struct reading *reading = context;
	struct sighting *event = sighting_claim_new(&reading->read, record->json);
	struct rec_error error;
	uint64_t at_us;
	int status = 0;
	json_decref(record->json);
	if (event == NULL)
		return -1;
	const char *kind = event->fields[SIGHTING_KIND];
	if (kind != NULL && strcmp(kind, "event") == 0) {
		if (sighting_moment(event, &at_us, &error))
			status = board_accept(&reading->board, event, pace_not_ahead_us(at_us));
		else
			intake_reject(intake, &error);
	}
	if (reading->board.left_out > 0 && reading->reported == 0)
		report_left_out(reading);
	sighting_release(event);
	return status;
}

void
reading_look(struct reading *reading)
{
	if (layoutfiles_poll(&reading->files))
		layoutfiles_read_anew(&reading->files, &reading->topology);
}

void
reading_fini(struct reading *reading)
{
	if (reading->board.left_out != reading->reported)
		report_left_out(reading);
	board_fini(&reading->board);
	topology_fini(&reading->topology);
}
