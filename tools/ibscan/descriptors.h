/* descriptors - how many may be kept open at a time, by all devices together. */
#ifndef IBSCAN_DESCRIPTORS_H
#define IBSCAN_DESCRIPTORS_H

#include <stdbool.h>

/* Raises the process's limit as far as it may be raised, and takes what that leaves as the budget. Call it before the first
 * device is opened. */
void descriptors_init(void);

/* Takes `count` off the budget: true when they may be kept open. */
bool descriptors_take(long count);

/* Gives back what was taken. */
void descriptors_give(long count);

#endif
