/* card - the cards of a scan: when one with fewer active ports than its peers is an event
 * (spec#card-peers, spec#card-settle). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CARD_H
#define CTREVAL_CARD_H

#include "cardlist.h"

/* Judges every card; nothing while the first verdicts wait. */
void card_eval(struct evaluation *evaluation, const struct cardlist *list);

/* The baseline: a healthy event for every card of this check that was judged and is not below its
 * peers. */
void card_baseline(struct evaluation *evaluation, const struct cardlist *list, enum check check);

/* The same for the card of a device that could not be read before. */
void card_late_baseline(struct evaluation *evaluation, const struct cardlist *list,
	const struct device_entry *device);

/* True when the port's card is reported: evidence about a port that was never seen before. */
bool card_is_anomalous(const struct evaluation *evaluation, const struct port_entry *entry);

/* The devices of a card that are watched, separated by commas, from malloc and bounded; NULL when
 * memory ran out. */
char *card_devices_new(struct evaluation *evaluation, const char *card);

/* The id of the event that says that the port's card has fewer active ports than its peers, while
 * that stands and the port, as it was last seen, is one that the card lacks; else NULL. It belongs
 * to the state. */
const char *card_event(const struct evaluation *evaluation, const struct port_entry *entry);

#endif
