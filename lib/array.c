/* array - arrays that grow item by item. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#define CAPACITY_FIRST 32

void *
array_grown(void *items, size_t count, size_t *capacity, size_t item_size)
{
	if (count < *capacity)
		return items;
	size_t wanted = *capacity == 0 ? CAPACITY_FIRST : 2 * *capacity;
	/* Check here instead of using reallocarray(3): sanitizers abort on its overflow. */
	if (wanted > SIZE_MAX / item_size) {
		errno = ENOMEM;
		return NULL;
	}
	void *grown = realloc(items, wanted * item_size);
	if (grown != NULL)
		*capacity = wanted;
	return grown;
}
