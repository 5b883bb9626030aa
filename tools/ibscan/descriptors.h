/* descriptors - how many may be kept open at a time, by all devices together. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_DESCRIPTORS_H
#define IBSCAN_DESCRIPTORS_H

#include <stdbool.h>

/* Raises the process's limit as far as it may be raised, and takes what that leaves as the budget.
 * Call it before the first device is opened. */
void descriptors_init(void);

/* Reserves `count` of the budget: true when they may be kept open. */
bool descriptors_reserve(long count);

/* Gives back what was reserved. */
void descriptors_release(long count);

#endif
