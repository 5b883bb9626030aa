/* names - follows devices that were renamed by udev or a driver reload (spec#device-renamed). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_NAMES_H
#define CTREVAL_NAMES_H

#include "evaluation.h"

/* Rename the state's devices to their names in the scan. Call this before the scan is compared with
 * the state. A device that lost its name to another one and is not in the scan is named by its PCI
 * address from then on. An incomplete scan renames nothing, since it does not show which names are
 * in use. */
void names_settle(struct evaluation *evaluation);

/* Return true if the scan's device has another name in the state, or its name belongs to another
 * device there. This happens only in incomplete scans; leave such a device to the next scan. */
bool names_is_unsettled(const struct evaluation *evaluation, const struct scanrec_device *record);

/* The node had the name `former` before, in the same boot: withdraw all reports under that name,
 * and report under the present one what is still so. Counters and flapping are reported at once,
 * the others when they are next evaluated. */
void names_move_node(struct evaluation *evaluation, const char *former);

#endif
