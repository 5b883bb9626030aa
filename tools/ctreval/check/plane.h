/* plane - the planes of multi-plane NICs: ports of a device that is a part of the NIC
 * (spec#sub-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PLANE_H
#define CTREVAL_PLANE_H

#include "evaluation.h"

/* Evaluate each plane of the scan. A plane that is down is a non-fatal event, because the NIC works
 * without it; if the NIC's own port is down too, only that is reported. Planes whose device is gone
 * are forgotten with a note, since such devices are created and deleted at run time. */
void plane_eval(struct evaluation *evaluation);

/* Withdraw all reports about planes. */
void plane_withdraw(struct evaluation *evaluation);

#endif
