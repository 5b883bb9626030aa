/* missing - devices and ports that a scan no longer has. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_MISSING_H
#define CTREVAL_MISSING_H

#include "evaluation.h"

/* Judges the devices and ports that an earlier scan had and this one has not; while the first
 * verdicts wait, only looks. */
void missing_eval(struct evaluation *evaluation);

#endif
