/* jsonmemory - a program that has no memory for JSON ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonmemory.h"

#include "diag.h"

#include <jansson.h>
#include <stdlib.h>
#include <unistd.h>

/* Without what exit() would do: other threads go on meanwhile, and nothing is kept back that would
 * have to be written. */
static void *
allocate(size_t size)
{
	void *bytes = malloc(size);
	if (bytes == NULL)
		_exit(diag_no_memory());
	return bytes;
}

void
jsonmemory_require(void)
{
	json_set_alloc_funcs(allocate, free);
}
