/* baseline - what is said after a boot, so that receivers forget what was before it
 * (spec#boot-baseline). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BASELINE_H
#define CTREVAL_BASELINE_H

#include "card.h"

/* True in a scan, after the first verdicts, in which a check that still owes its baseline can give
 * it: one in which everything was read. */
bool baseline_is_possible(const struct evaluation *evaluation);

/* Makes the baseline of one check together with the first verdicts, if the check is enabled and
 * owes it. It takes back everything that was reported under the check; when something that is
 * listed cannot be read, only all about each device and card that can. Then it reports what is
 * healthy. What cannot be seen, or stands already, is not taken back: that is still owed. True when
 * the baseline was made. */
bool baseline_check(struct evaluation *evaluation, const struct cardlist *cards, enum check check);

/* Clears all that was reported under the check about a device, by an event without a code. */
void baseline_clear_device(struct evaluation *evaluation, enum check check, const char *device);

/* To be called when the baseline was made: devices that could not be read owe one. */
void baseline_owe(struct evaluation *evaluation);

/* In a later scan, before any other event: clears the checks that still owe it, as soon as all that
 * is listed can be read and nothing stands under them. */
void baseline_late_checks(struct evaluation *evaluation);

/* After the devices' own verdicts: takes back what was reported about devices that can be read
 * again, where nothing stands about them. When it is not known what stands, it reports what is
 * healthy about them and their cards. */
void baseline_late_devices(struct evaluation *evaluation, const struct cardlist *cards);

/* Reports what is healthy about a port of such a device. */
void baseline_late_port(struct evaluation *evaluation, const struct scan_port *port);

/* After all verdicts of a scan: devices whose ports have had their baseline owe none. */
void baseline_settle(struct evaluation *evaluation);

#endif
