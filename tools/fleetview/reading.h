/* reading - reads events into a board of the fleet, and the topology from its files. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_READING_H
#define FLEETVIEW_READING_H

#include "../blastradius/layoutfiles.h"
#include "board.h"
#include "filter.h"

struct reading {
	struct board board;
	struct topology topology;
	struct layoutfiles files;
	struct sighting *read; /* record parsed by reading_line(); NULL: none */
	uint64_t reported;     /* dropped events, as last reported; 0: none yet */
};

/* Read the topology files. Return 0, or the exit code. */
int reading_begin(struct reading *reading);

/* Callbacks of a filter of events; their context is a struct reading. Other records are skipped.
 * The first event that is dropped for lack of room is reported at once. */
bool reading_line(void *context, const char *text, size_t length);
int reading_accept(void *context, struct intake *intake, struct intake_record *record);

/* Reread the topology files if a poll is due and they changed. */
void reading_look(struct reading *reading);

/* Report how many events were dropped, and free everything. */
void reading_fini(struct reading *reading);

#endif
