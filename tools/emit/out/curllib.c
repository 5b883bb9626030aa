/* curllib - loads libcurl's functions at run time. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "curllib.h"

#include "array.h"
#include "sonames.h"

struct curllib curllib;

#define CALL(name) {#name, &curllib.name},

const char *
curllib_load(void)
{
	static const struct library_call calls[] = {CURLLIB_CALLS(CALL)};
	static struct library library = {.name = SONAME_LIBCURL};
	return library_load(&library, calls, ARRAY_COUNT(calls));
}
