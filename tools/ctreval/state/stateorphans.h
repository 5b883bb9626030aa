/* stateorphans - what a state file says of counters that are under no port: breaches that nobody
 * watches, and what is known of an interface. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEORPHANS_H
#define CTREVAL_STATEORPHANS_H

#include "section.h"

extern const struct section stateorphans_orphans, stateorphans_unplaced;

#endif
