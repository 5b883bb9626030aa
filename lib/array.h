/* array - the size of arrays, and arrays that grow item by item. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ARRAY_H
#define NHM_ARRAY_H

#include <stddef.h>

/* The number of items of an array; the argument must not be a pointer. */
#define ARRAY_COUNT(array) (sizeof(array) / sizeof *(array))

/* Make room for one more item after `count` items of `item_size` bytes. Return the array, which may
 * have moved, and set `*capacity` (in items; it doubles). Return NULL with errno when memory runs
 * out; array and capacity are then unchanged. */
void *array_grown(void *items, size_t count, size_t *capacity, size_t item_size);

#endif
