/* jsonmemory - ends the program when memory for JSON runs out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonmemory.h"

#include "diag.h"

#include <jansson.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

/* Use _exit(): exit() handlers must not run while other threads continue, and no buffered output is
 * pending. */
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
	/* A JSON value is many small allocations, and its text a large one. For each large
	 * allocation glibc merges all small chunks of its fast bins: a quarter of ctreval's time
	 * with --explain. Disable the fast bins. */
	mallopt(M_MXFAST, 0);
	json_set_alloc_funcs(allocate, free);
}
