/* standout - error counters that stand far above those of a port's peers (spec#one-look). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_STANDOUT_H
#define NICCHECK_STANDOUT_H

#include "scan.h"
#include "summary.h"

/* Adds a note for each such counter of a watched port. What was counted before anybody looked is no
 * fault now, but shows where to look. */
void standout_eval(struct summary *summary, const struct scan *scan);

#endif
