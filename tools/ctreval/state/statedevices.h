/* statedevices - devices in the state file, and how many scans devices and ports were missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEDEVICES_H
#define CTREVAL_STATEDEVICES_H

#include "section.h"

extern const struct section statedevices_all, statedevices_known, statedevices_gone,
	statedevices_unreadable, statedevices_baseline_owed, statedevices_clear_owed,
	statedevices_missing;

/* Check that the two places in the file with reports about devices agree. Return 0, or -1 with the
 * decoder's error. */
int statedevices_check(const struct decoder *decoder);

#endif
