/* reading - events in, as a board of the fleet, and which ports hang on which switch. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FLEETVIEW_READING_H
#define FLEETVIEW_READING_H

#include "../blastradius/layoutfiles.h"
#include "board.h"
#include "filter.h"

/* Files that say which port hangs on which switch are looked at so often. */
#define READING_LOOK_NS (5 * NUM_NS_PER_S)

struct reading {
	struct board board;
	struct topology topology;
	struct layoutfiles files;
	uint64_t looked_ns;    /* at these, CLOCK_MONOTONIC */
	struct sighting *read; /* what reading_line() has read; NULL: nothing */
};

/* An option's row, up to its end: a file of that kind, for the member `reading` of the options. */
#define READING_TOPOLOGY_OPTION(its_accept) \
	"topology", "FILE", \
		"read from FILE, or all files in it, which port hangs on which switch", \
		OPT_OTHER(its_accept)

/* Reads the files. 0, or the exit code to end with. */
int reading_begin(struct reading *reading);

/* What a filter of events has to have; its context is a struct reading. What is no event is passed
 * over. */
bool reading_line(void *context, const char *text, size_t length);
int reading_accept(void *context, struct intake *intake, struct intake_record *record);

/* Reads the files again if it is time to, and they have changed. */
void reading_look(struct reading *reading);

/* Says what there was no room for, and gives all of it back. */
void reading_fini(struct reading *reading);

#endif
