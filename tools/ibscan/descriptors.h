/* descriptors - budget of descriptors that all devices together may keep open. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_DESCRIPTORS_H
#define IBSCAN_DESCRIPTORS_H

#include <stdbool.h>

/* Raise RLIMIT_NOFILE to its hard limit and compute the budget from it. Call it before the first
 * device is opened. */
void descriptors_init(void);

/* Take `count` descriptors off the budget. Return false if they exceed it. */
bool descriptors_reserve(long count);

/* Return `count` descriptors to the budget. */
void descriptors_release(long count);

#endif
