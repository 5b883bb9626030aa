/* plane - the planes of multi-plane NICs, which are ports of a device that is a part of the
 * NIC (spec#sub-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PLANE_H
#define CTREVAL_PLANE_H

#include "evaluation.h"

/* Judges each plane of the scan. One that is down is a non-fatal event, because the NIC works
 * without it. When the NIC's own port is down as well, only that is reported. Planes whose device
 * is gone are forgotten, with a note: it is made and deleted at run time. */
void plane_eval(struct evaluation *evaluation);

#endif
