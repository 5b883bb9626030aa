/* withdraw - withdraws open reports, or keeps them as orphans while their check is disabled.
 *
 * Each report is withdrawn with one healthy event. If memory runs out, `evaluation->failed` is
 * set. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_WITHDRAW_H
#define CTREVAL_WITHDRAW_H

#include "evaluation.h"

/* Withdraw all reports about a port. A report of a disabled check becomes an orphan, which waits
 * for the check. The memories of the port's counters, rate and flapping still say that what was
 * withdrawn is reported: forget the port, or report it again. */
void withdraw_port(struct evaluation *evaluation, struct port_entry *port);

/* Withdraw the report that a port is slower than its peers, if there is one and its check is
 * enabled. */
void withdraw_rate(struct evaluation *evaluation, const struct port_entry *port);

/* Withdraw the report that a character device is missing, or make it an orphan. */
void withdraw_chardev(struct evaluation *evaluation, struct chardev_entry *chardev);

/* Withdraw `said`, a report about the device itself, or make it an orphan. */
void withdraw_device(
	struct evaluation *evaluation, const struct device_entry *device, struct said *said);

/* Withdraw the report that a card has fewer active ports than its peers, unless its check is
 * disabled. `exempt`: why the card is no longer compared; NULL: it is not watched. */
void withdraw_card(
	struct evaluation *evaluation, const struct card_entry *card, const char *exempt);

/* Withdraw and remove the orphans whose check is enabled. */
void withdraw_orphans(struct evaluation *evaluation);

#endif
