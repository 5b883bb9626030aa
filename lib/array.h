/* array - how many items an array has, and arrays that grow by one item at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ARRAY_H
#define NHM_ARRAY_H

#include <stddef.h>

/* How many items an array has, which must not be a pointer. */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof *(array))

/* Makes room for one more item after `count` items of `item_size` bytes. Returns the array, which
 * may have moved, and sets `*capacity` (in items; it doubles). NULL with errno when memory runs
 * out: then everything is as it was. */
void *array_grown(void *items, size_t count, size_t *capacity, size_t item_size);

#endif
