/* double_free - a fault that every analyzer must find. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

void double_free(void);

void
double_free(void)
{
	char *kept = malloc(16);
	free(kept);
	free(kept);
}
