/* missing - devices and ports that are absent from a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_MISSING_H
#define CTREVAL_MISSING_H

#include "evaluation.h"

/* Evaluate the devices and ports that an earlier scan had and this one does not; while the first
 * verdicts are deferred, only record them. */
void missing_eval(struct evaluation *evaluation);

#endif
