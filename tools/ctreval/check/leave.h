/* leave - what nobody watches any more: what was said about it is taken back, once. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_LEAVE_H
#define CTREVAL_LEAVE_H

#include "card.h"

/* Forgets what nobody watches any more, with a healthy event for each thing that was reported
 * (spec#leaves-monitoring): breaches of counters that the configuration no longer enables; devices
 * that are there and no longer monitored, with their ports and counters; cards that are there and
 * have no monitored port, or a management function. */
void leave_eval(struct evaluation *evaluation, const struct cardlist *cards);

/* Takes back everything that was reported about a port. What a check has said that is switched off
 * waits for it, without the port. */
void leave_port_said(struct evaluation *evaluation, struct port_entry *port);

/* The same, and forgets the port. */
void leave_port(struct evaluation *evaluation, struct port_entry *port);

/* The same about a character device. */
void leave_chardev_said(struct evaluation *evaluation, struct chardev_entry *chardev);
void leave_chardev(struct evaluation *evaluation, struct chardev_entry *chardev);

/* The same for one thing that was `said` about a device itself. */
void leave_device_said(
	struct evaluation *evaluation, const struct device_entry *device, struct said *said);

/* True while something stands about the device itself that a check which is switched off has to
 * take back. It is not forgotten before. */
bool leave_has_to_wait(const struct evaluation *evaluation, const struct device_entry *entry);

/* A device that is not a device of its own any more: what was reported of it and its ports is taken
 * back, and it is forgotten. To be called from table_each() at most. */
void leave_merged(struct evaluation *evaluation, struct device_entry *entry);

#endif
