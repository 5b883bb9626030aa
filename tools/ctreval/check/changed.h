/* changed - devices and ports that are not what they were: firmware, GUID, place, link, rate, name
 * (spec#changes). No fault, and nothing stands: what was so before explains what comes after. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CHANGED_H
#define CTREVAL_CHANGED_H

#include "evaluation.h"

/* Looks at all devices and ports of a scan that is not an extra one. */
void changed_eval(struct evaluation *evaluation);

#endif
