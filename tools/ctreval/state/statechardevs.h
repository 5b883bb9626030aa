/* statechardevs - missing InfiniBand character devices in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATECHARDEVS_H
#define CTREVAL_STATECHARDEVS_H

#include "section.h"

extern const struct section statechardevs_missing;

#endif
