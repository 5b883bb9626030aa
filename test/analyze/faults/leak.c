/* leak - a fault that every analyzer must find. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

int leak(const char *text);

int
leak(const char *text)
{
	char *copy = malloc(16);
	if (copy == NULL)
		return -1;
	*copy = *text;
	if (*copy == 0)
		return 1;
	free(copy);
	return 0;
}
