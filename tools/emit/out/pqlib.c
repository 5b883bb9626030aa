/* pqlib - loads libpq's functions at run time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pqlib.h"

#include "array.h"
#include "sonames.h"

struct pqlib pqlib;

#define CALL(name) {#name, &pqlib.name},

const char *
pqlib_load(void)
{
	static const struct library_call calls[] = {PQLIB_CALLS(CALL)};
	static struct library library = {.name = SONAME_LIBPQ};
	return library_load(&library, calls, ARRAY_COUNT(calls));
}
