/* grace - how long the reload of a driver keeps back what is reported about a device
 * (spec#device-gone). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_GRACE_H
#define CTREVAL_GRACE_H

#include "evaluation.h"

/* Return true while driver_reload_grace_ns since the device was first missing is not over. */
bool grace_is_running(const struct evaluation *evaluation, const struct device_entry *entry);

/* Return true if the device was reported as gone by a non-fatal event that is still open. */
bool grace_is_gone_for_now(const struct device_entry *entry);

/* Return true if the device was missing with its PCI function on the bus, is neither reported as
 * gone nor known to be back since, and driver_reload_grace_ns is not over. */
bool grace_is_reloading(const struct evaluation *evaluation, const struct device_entry *entry);

/* Set entry->reloading. */
void grace_set_reloading(
	const struct evaluation *evaluation, struct device_entry *entry, bool reloading);

#endif
