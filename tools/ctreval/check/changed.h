/* changed - reports changed facts of devices and ports: firmware, GUID, location, link, rate, name
 * (spec#changes). These are no faults and open no condition; they help to explain later events. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CHANGED_H
#define CTREVAL_CHANGED_H

#include "evaluation.h"

/* Evaluate all devices and ports of the scan. Do not call it for extra scans. */
void changed_eval(struct evaluation *evaluation);

#endif
