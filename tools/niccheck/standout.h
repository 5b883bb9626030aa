/* standout - notes about error counters far above those of a port's peers (spec#one-look). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_STANDOUT_H
#define NICCHECK_STANDOUT_H

#include "scan.h"
#include "summary.h"

/* Add a note for each such counter of a watched port. Errors before the check are not a current
 * fault, but show where to look. */
void standout_eval(struct summary *summary, const struct scan *scan);

#endif
