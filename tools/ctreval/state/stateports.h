/* stateports - states of ports in the state file, and open reports about them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEPORTS_H
#define CTREVAL_STATEPORTS_H

#include "section.h"

extern const struct section stateports_states, stateports_gone, stateports_slow,
	stateports_flapping, stateports_held;

#endif
