/* lastscan - faults that niccheck sees in its last scan and no event reports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_LASTSCAN_H
#define NICCHECK_LASTSCAN_H

#include "scan.h"
#include "summary.h"

/* Count the lost NICs in the scan.begin record of one scan. */
void lastscan_begin(struct summary *summary, const json_t *begin);

/* Add a missing character device that no event reports yet, from a decision record (`ctreval
 * --explain`) of the last scan. */
void lastscan_decision(struct summary *summary, const json_t *decision);

/* Add the faults in the last scan. Call it after all scan.begin records, events and decisions. A
 * scan that is empty or has no end counts as missing. */
void lastscan_eval(struct summary *summary, const struct scan *scan);

#endif
