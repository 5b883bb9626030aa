/* portflap - links that go down and come up between two scans, as ibevent reports them
 * (spec#port-flap). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORTFLAP_H
#define CTREVAL_PORTFLAP_H

#include "asyncrec.h"
#include "evaluation.h"

/* The change of a link that an event reports. */
enum portflap_change { PORTFLAP_DOWN, PORTFLAP_UP, PORTFLAP_NEITHER };

/* Return what the event means for a port of this link layer. On InfiniBand a network interface that
 * goes down is not a link-down. */
enum portflap_change portflap_change(enum layer layer, const char *event);

/* Record that the link went down or came up, `count` times at `at_ns` (CLOCK_BOOTTIME), as reported
 * by `via`. Only the first source that reports this port counts, until it has been silent for a
 * minute. */
void portflap_note(struct link_memory *memory, const char *via, enum portflap_change change,
	uint64_t count, uint64_t at_ns);

/* Forget the recorded changes: a scan has shown the link down or lacks the port, they were
 * reported, or they are from within bootGrace. */
void portflap_forget(struct link_memory *memory);

/* Record an event. Ignores events that are not about the link of a healthy watched port. */
void portflap_accept(struct state *state, const struct asyncrec *event);

/* Evaluate the port's link. Call it after the port's state and counters, and not for extra
 * scans. */
void portflap_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
