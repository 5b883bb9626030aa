/* lastscan - faults that niccheck sees in its last scan and no event reports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_LASTSCAN_H
#define NICCHECK_LASTSCAN_H

#include "scan.h"
#include "summary.h"

/* Notes from the beginning of one of the scans which NICs that the GPU metadata names are lost. */
void lastscan_begin(struct summary *summary, const json_t *begin);

/* Notes from one decision record (`ctreval --explain`) of the last scan what no event says
 * of it yet: a character device that is missing. */
void lastscan_decision(struct summary *summary, const json_t *decision);

/* Adds what the last scan shows, after all beginnings, events and decisions. One that is empty or
 * has no end is not a scan. */
void lastscan_eval(struct summary *summary, const struct scan *scan);

#endif
