/* leave - forgets what is no longer watched, and withdraws its reports, once.
 *
 * If memory runs out, `evaluation->failed` is set. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_LEAVE_H
#define CTREVAL_LEAVE_H

#include "card.h"

/* Forget everything that is no longer watched, with a healthy event for each open report
 * (spec#leaves-monitoring): breaches of counters that the configuration no longer enables; devices
 * that exist but are no longer monitored, with their ports and counters; cards that exist without a
 * monitored port or with a management function. */
void leave_eval(struct evaluation *evaluation, const struct cardlist *cards);

/* Withdraw all reports about a port with withdraw_port(), and forget the port. */
void leave_port(struct evaluation *evaluation, struct port_entry *port);

/* The same for a character device. */
void leave_chardev(struct evaluation *evaluation, struct chardev_entry *chardev);

/* Return true if a report about the device itself is open and its check is disabled. The device is
 * then not forgotten yet. */
bool leave_has_to_wait(const struct evaluation *evaluation, const struct device_entry *entry);

/* Withdraw the reports about a device that is now part of another one, and about its ports; then
 * forget it. If called from table_each(), only for the entry that it passed. */
void leave_merged(struct evaluation *evaluation, struct device_entry *entry);

#endif
