/* statefile - the state as JSON and back: SPEC section 4.5. Pure: no I/O. */
#ifndef CTREVAL_STATEFILE_H
#define CTREVAL_STATEFILE_H

#include "outbox.h"
#include "state.h"

#define STATEFILE_VERSION 1

/* Everything that a restart needs. */
struct statefile {
	struct state *state;
	struct event_stream *stream; /* source "": none yet */
	struct outbox *outbox;
};

/* The file's content, as a record is now: `ts` and `boottime_ns` give the snapshots' times for people. NULL when memory ran out. */
json_t *statefile_encode_new(const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns);

/* Takes a file's content into an empty state, stream and outbox. Fields that are missing, as in a file of the original, are as in an empty state.
 * Counters that `counters` does not have enabled are forgotten, but for their breaches, which become orphans. 0, or -1 with `*error` when the
 * content is not what this version writes, and then nothing of it may be used. */
int statefile_decode(const json_t *root, const struct counter_list *counters,
	bool counter_detection, struct statefile *file, struct rec_error *error);

#endif
