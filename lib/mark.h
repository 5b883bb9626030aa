/* mark - a record that says how far a stream has come: "after what came before, up to here"
 * (nic-health-monitor-records(5)).
 *
 * A source that reads from elsewhere, as fleetread does, writes marks among the records. A tool
 * between it and the receiver passes a mark on when it has stored what it knows of the records
 * before it, and the receiver acknowledges the mark when it has stored them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_MARK_H
#define NHM_MARK_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Most bytes of a source, as of any that emit remembers. */
#define MARK_SOURCE_MAX 128

struct mark {
	const char *source; /* of the record */
	/* all of the stream that has a number above `after`, up to `seq`, was written since the
	 * mark before; nothing, with the first of a run */
	uint64_t after, seq;
};

/* Whether a record is a mark. */
bool mark_read(const json_t *record, struct mark *out);

/* NULL when memory ran out. */
json_t *mark_new(const char *source, uint64_t after, uint64_t seq);

/* Sets a mark into an object of marks by source: it is joined with the one that is there if it
 * begins within what that covers, and takes its place otherwise. 0, or -1 when memory ran out. */
int mark_join(json_t *marks, const struct mark *mark);

#endif
