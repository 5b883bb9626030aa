/* Unit tests of array: arrays that grow one item at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"

#include "check.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static void
grows(void)
{
	size_t *items = NULL, capacity = 0, moves = 0;

	for (size_t count = 0; count < 1000; count++) {
		size_t before = capacity;
		items = array_grown(items, count, &capacity, sizeof *items);
		if (!CHECK(items != NULL && capacity > count))
			return;
		moves += capacity != before;
		items[count] = count;
	}
	for (size_t i = 0; i < 1000; i++)
		CHECK_U64(items[i], i);
	/* Capacity doubles: a thousand items need only a few moves. */
	CHECK(moves < 10);
	free(items);
}

static void
fails(void)
{
	size_t capacity = SIZE_MAX / 4;
	int item = 7;

	errno = 0;
	CHECK(array_grown(&item, capacity, &capacity, 16) == NULL);
	CHECK_INT(errno, ENOMEM);
	CHECK_U64(capacity, SIZE_MAX / 4);
	CHECK_INT(item, 7);
}

static const struct check_test tests[] = {
	{"an array grows by one item and keeps its items", grows},
	{"when memory runs out the array keeps its capacity and items", fails},
};
CHECK_MAIN(tests)
