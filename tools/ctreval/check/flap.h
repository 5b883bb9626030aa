/* flap - links that go down again and again, and when that is an event (spec#link-flap). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_FLAP_H
#define CTREVAL_FLAP_H

#include "evaluation.h"

/* A port's link in one scan. */
struct flap_sight {
	uint64_t at_ns;       /* CLOCK_BOOTTIME */
	bool active, down;    /* its state; both false: between them, or not known */
	bool has_link_downed; /* link_downed is readable ... */
	uint64_t link_downed; /* ... and has this value */
};

enum flap_verdict {
	FLAP_QUIET,
	FLAP_BEGINS,
	FLAP_GOES_ON, /* more link-downs, and a window since the last event */
	FLAP_ENDS,
};

/* Update the memory by one scan and return what to report. */
enum flap_verdict flap_step(struct flap_memory *memory, const struct flap_sight *sight);

/* Evaluate the port's link: report when it begins to flap, still flaps a window later, and has
 * stopped. */
void flap_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

/* Report a flapping port again, under its current name. */
void flap_report_again(struct evaluation *evaluation, const struct port_entry *entry);

#endif
