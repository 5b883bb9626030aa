/* jsonmemory - a program that has no memory for JSON ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "jsonmemory.h"

#include "diag.h"

#include <jansson.h>
#include <malloc.h>
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
	/* A value of JSON is many small pieces, and a text of it a large one. Each time that glibc
	 * hands out a large piece, it puts together all small ones that it has kept for a fast
	 * reuse: a quarter of ctreval's time with --explain. It is to keep none. */
	mallopt(M_MXFAST, 0);
	json_set_alloc_funcs(allocate, free);
}
