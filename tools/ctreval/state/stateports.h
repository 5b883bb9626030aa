/* stateports - what a state file says of ports: their states, and what stands about them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEPORTS_H
#define CTREVAL_STATEPORTS_H

#include "section.h"

extern const struct section stateports_states, stateports_gone, stateports_slow,
	stateports_flapping, stateports_held;

#endif
