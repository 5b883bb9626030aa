/* natslib - loads libnats' functions at run time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "natslib.h"

#include "array.h"
#include "sonames.h"

struct natslib natslib;

#define CALL(name) {#name, &natslib.name},

const char *
natslib_load(void)
{
	static const struct library_call calls[] = {NATSLIB_CALLS(CALL)};
	static struct library library = {.name = SONAME_LIBNATS};
	return library_load(&library, calls, ARRAY_COUNT(calls));
}
