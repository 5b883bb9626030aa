/* numbers - what ctreval hands up about itself and what it sees, in a page of numbers: it looks on, and decides nothing. */
#ifndef CTREVAL_NUMBERS_H
#define CTREVAL_NUMBERS_H

#include "metrics.h"
#include "scan.h"
#include "state.h"

struct numbers {
	struct metrics *metrics; /* NULL: nobody watches */
	bool torn;               /* the last scan had lost a record */
};

/* A scan was judged, `state` is what that has left, and both state and events are on their way. */
void numbers_scan(struct numbers *numbers, const struct scan *scan, const struct state *state);

#endif
