/* mark - records that tell how far a stream has been written: "everything after `after`, up to
 * `seq`" (nic-health-monitor-records(5)).
 *
 * A source that reads events from elsewhere, such as fleetread, writes marks between the records. A
 * tool between it and the receiver passes a mark on once it has stored what it keeps of the records
 * before the mark. The receiver acknowledges the mark once it has stored those records. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_MARK_H
#define NHM_MARK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Longest name of a source that emit remembers, bytes. */
#define MARK_SOURCE_MAX 128

struct mark {
	const char *source; /* belongs to the record */
	/* the source has written every event of the stream above `after`, up to `seq`, since the
	 * previous mark; the first mark of a run covers none */
	uint64_t after, seq;
};

/* Decode a record. Return whether it is a mark. */
bool mark_read(const json_t *record, struct mark *out);

/* Create a mark record. NULL when memory ran out. */
json_t *mark_new(const char *source, uint64_t after, uint64_t seq);

/* Store a mark in an object of marks by source. If it begins within the range of the stored mark,
 * extend that one, else replace it. Return 0, or -1 when memory ran out. */
int mark_join(json_t *marks, const struct mark *mark);

#endif
