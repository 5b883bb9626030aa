/* flap - links that go down again and again: when that is an event (spec#link-flap). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_FLAP_H
#define CTREVAL_FLAP_H

#include "evaluation.h"

/* What one scan shows of a port's link. */
struct flap_sight {
	uint64_t at_ns;       /* CLOCK_BOOTTIME */
	bool active, down;    /* its state; neither: something in between, or not known */
	bool has_link_downed; /* the counter of that name can be read ... */
	uint64_t link_downed; /* ... and has this value */
};

enum flap_verdict {
	FLAP_QUIET,
	FLAP_BEGINS,
	FLAP_GOES_ON, /* there were more, and the last time it was said is a window ago */
	FLAP_ENDS,
};

/* What is to be said of this scan, and what to remember. */
enum flap_verdict flap_step(struct flap_memory *memory, const struct flap_sight *sight);

/* Takes in what the scan shows of the port's link and says when it begins to flap, goes on for
 * another hour, and has stopped. */
void flap_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

/* Says of a port that flaps, under the name that it has now, that it does. */
void flap_report_again(struct evaluation *evaluation, const struct port_entry *entry);

#endif
