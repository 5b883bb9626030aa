/* leave - what nobody watches any more: what was said about it is taken back, once. */
#ifndef CTREVAL_LEAVE_H
#define CTREVAL_LEAVE_H

#include "cardcheck.h"

/* Breaches of counters that the configuration no longer has or enables, devices that are there but no longer monitored, with their ports
 * and counters, and cards that are there but have no monitored port, or a management function: a healthy event for each that was reported
 * (SPEC section 4.1), and they are forgotten. */
void leave_judge(struct evaluation *evaluation, const struct card_list *cards);

/* A device goes on under another name: what was reported under the old one is taken back, and said again under the new one where it still holds. */
void leave_rename(struct evaluation *evaluation, struct device_entry *entry, const char *name);

#endif
