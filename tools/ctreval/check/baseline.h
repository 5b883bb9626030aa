/* baseline - events after a boot that make receivers drop older reports (spec#boot-baseline). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BASELINE_H
#define CTREVAL_BASELINE_H

#include "card.h"

/* Return true if a check can send its baseline in this scan: the first verdicts are not deferred,
 * and everything is readable. */
bool baseline_is_possible(const struct evaluation *evaluation);

/* Send the baseline of one check, if the check is enabled and owes it. Withdraws all reports under
 * the check; if a listed device is unreadable, only those about readable devices and cards. Then
 * reports what is healthy. Reports that are open, or about what the scan does not show, are not
 * withdrawn and still owed. Return true if the baseline was sent. */
bool baseline_check(struct evaluation *evaluation, const struct cardlist *cards, enum check check);

/* Return true if the baseline was sent without the events that clear whole checks, so that reports
 * from before this boot may be open about whatever is first seen now. */
bool baseline_was_partial(const struct evaluation *evaluation);

/* Withdraw all reports about a device under the check, by an event without a code. */
void baseline_clear_device(struct evaluation *evaluation, enum check check, const char *device);

/* Call this after the baseline: devices that were unreadable or absent owe theirs. */
void baseline_owe(struct evaluation *evaluation);

/* Call this in later scans before any other event. Clears the checks that still owe it, once
 * everything is readable and no report is open under them. */
void baseline_late_checks(struct evaluation *evaluation);

/* Call this after the devices' own verdicts. Withdraws reports about devices that are readable
 * again, if none is open about them. If open reports are unknown, reports what is healthy about the
 * devices and their cards. */
void baseline_late_devices(struct evaluation *evaluation, const struct cardlist *cards);

/* Report what is healthy about a port of such a device. */
void baseline_late_port(struct evaluation *evaluation, const struct scan_port *port);

/* Call this after all verdicts of a scan: devices whose ports had their baseline no longer owe
 * it. */
void baseline_settle(struct evaluation *evaluation);

#endif
