/* stateidentities - identities of devices and ports in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATEIDENTITIES_H
#define CTREVAL_STATEIDENTITIES_H

#include "section.h"

extern const struct section stateidentities_all;

#endif
