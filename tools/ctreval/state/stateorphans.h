/* stateorphans - counters without a port in the state file: breaches and saturations that are no
 * longer watched, and counters of interfaces whose port is unknown. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEORPHANS_H
#define CTREVAL_STATEORPHANS_H

#include "section.h"

extern const struct section stateorphans_orphans, stateorphans_unplaced;

#endif
