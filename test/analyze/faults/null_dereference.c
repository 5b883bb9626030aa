/* null_dereference - a fault that every analyzer must find. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>

int null_dereference(int number, int *out);

int
null_dereference(int number, int *out)
{
	int *at = NULL;
	if (number > 0)
		at = out;
	return *at;
}
