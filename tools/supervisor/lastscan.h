/* lastscan - what the last scan of a look at the node shows, and no event says. Pure. */
#ifndef SUPERVISOR_LASTSCAN_H
#define SUPERVISOR_LASTSCAN_H

#include "scan.h"
#include "summary.h"

/* Takes one decision record (`ctreval --explain`) of the last scan: whether a card could be compared with others. */
void lastscan_decision(struct summary *summary, const json_t *decision);

/* Takes the last scan, after all events and decisions. One that is empty or has no end is no scan. */
void lastscan_take(struct summary *summary, const struct scan *scan);

#endif
