/* observe - which devices and ports a scan has, and to which port belongs what is known only by a
 * network interface. The checks compare the scan with this. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_OBSERVE_H
#define CTREVAL_OBSERVE_H

#include "evaluation.h"

/* Takes in which devices and judged ports the scan has, under which names. To be called first. */
void observe_scan(struct evaluation *evaluation);

/* To be called before the scan is compared with anything. What is known by an interface becomes
 * part of the port that the scan shows it to be; the rest waits for a later scan. One note tells of
 * a breach that waits although all can be seen. */
void observe_unplaced(struct evaluation *evaluation);

#endif
