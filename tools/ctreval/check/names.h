/* names - devices that go on under other names (spec#device-renamed): udev, and each reload of the
 * driver, may give them new ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_NAMES_H
#define CTREVAL_NAMES_H

#include "evaluation.h"

/* Gives each device that is remembered the name that the scan has for it, before the scan is
 * compared with what is remembered. One whose name went to another device, and that is not in the
 * scan, is known by its PCI address from then on. In a scan that is torn nothing is renamed, since
 * it does not show which names are still in use. */
void names_settle(struct evaluation *evaluation);

/* True when the scan's device is remembered under another name, or its name belongs to another
 * device: so in a torn scan, which leaves it for the next one. */
bool names_is_unsettled(const struct evaluation *evaluation, const struct scanrec_device *record);

#endif
