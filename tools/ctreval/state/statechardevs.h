/* statechardevs - what a state file says of InfiniBand character devices that are missing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATECHARDEVS_H
#define CTREVAL_STATECHARDEVS_H

#include "section.h"

extern const struct section statechardevs_missing;

#endif
