/* card - cards with fewer active ports than their peers, and when that is an event
 * (spec#card-peers, spec#card-settle). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CARD_H
#define CTREVAL_CARD_H

#include "cardlist.h"

/* Evaluate every card, unless the first verdicts are deferred. */
void card_eval(struct evaluation *evaluation, const struct cardlist *list);

/* Send the baseline: a healthy event for every card of this check that was compared and is not
 * below its peers. */
void card_baseline(struct evaluation *evaluation, const struct cardlist *list, enum check check);

/* The same for the card of a device that was unreadable before. */
void card_late_baseline(struct evaluation *evaluation, const struct cardlist *list,
	const struct device_entry *device);

/* Return true if the port's card has an open report, and each of its ports should be healthy: that
 * is evidence about a port that is new. If the card has more ports than its peers have active ones,
 * some may have no cable, and the report does not say which. */
bool card_is_evidence(const struct evaluation *evaluation, const struct port_entry *entry);

/* Return the watched devices of a card, comma-separated and bounded, to free(); NULL when memory
 * ran out. */
char *card_devices_new(struct evaluation *evaluation, const char *card);

/* Return the id of the open event that the port's card has fewer active ports than its peers; NULL
 * if there is none, or the port was up when last seen. The id belongs to the state. */
const char *card_event(const struct evaluation *evaluation, const struct port_entry *entry);

#endif
