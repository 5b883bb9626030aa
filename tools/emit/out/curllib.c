/* curllib - the functions of libcurl, which is loaded when it is needed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "curllib.h"

#include "sonames.h"

struct curllib curllib;

#define CALL(name) {#name, &curllib.name},

const char *
curllib_load(void)
{
	static const struct library_call calls[] = {CURLLIB_CALLS(CALL)};
	static struct library library = {.name = SONAME_LIBCURL};
	return library_load(&library, calls, sizeof calls / sizeof *calls);
}
