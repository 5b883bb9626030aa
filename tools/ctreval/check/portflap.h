/* portflap - a link that goes down and comes up between two scans, as ibevent tells it: when that
 * is an event (spec#port-flap). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORTFLAP_H
#define CTREVAL_PORTFLAP_H

#include "asyncrec.h"
#include "evaluation.h"

/* What an event says of a link. */
enum portflap_change { PORTFLAP_DOWN, PORTFLAP_UP, PORTFLAP_NEITHER };

/* For a port of this link layer. On InfiniBand a network interface that goes down is no link that
 * does. */
enum portflap_change portflap_change(enum layer layer, const char *event);

/* Notes that the link of a port has gone down or come up, `count` times at `at_ns`
 * (CLOCK_BOOTTIME), as the source `via` tells it. Of several sources only the one counts that was
 * the first to tell of this port, until it has told nothing for a minute. */
void portflap_note(struct link_memory *memory, const char *via, enum portflap_change change,
	uint64_t count, uint64_t at_ns);

/* Forgets what was noted of the link, because a scan shows it. */
void portflap_forget(struct link_memory *memory);

/* Takes in an event. What is not about a link of a healthy port that is watched says nothing. */
void portflap_accept(struct state *state, const struct asyncrec *event);

/* Looks at a port in a scan that is not an extra one, after its state and its counters. */
void portflap_eval(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
