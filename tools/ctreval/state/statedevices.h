/* statedevices - what a state file says of devices, and in how many scans devices and ports were
 * missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEDEVICES_H
#define CTREVAL_STATEDEVICES_H

#include "section.h"

extern const struct section statedevices_all, statedevices_known, statedevices_gone,
	statedevices_unreadable, statedevices_baseline_owed, statedevices_clear_owed,
	statedevices_missing;

/* What stands about devices is in two places of the file, which have to agree. 0, or -1 with the
 * decoder's error. */
int statedevices_check(const struct decoder *decoder);

#endif
