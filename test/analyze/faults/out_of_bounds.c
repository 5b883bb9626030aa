/* out_of_bounds - a fault that cppcheck and clang must find; gcc 12 does not look for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

#define COUNT 4

int out_of_bounds(void);

/* Sorts, and compares the last item with what is behind it. */
int
out_of_bounds(void)
{
	int items[COUNT] = {3, 1, 4, 2};
	for (size_t i = 0; i < COUNT; i++) {
		for (size_t j = 0; j < COUNT; j++) {
			if (items[j] > items[j + 1]) {
				int item = items[j];
				items[j] = items[j + 1];
				items[j + 1] = item;
			}
		}
	}
	return items[0];
}
