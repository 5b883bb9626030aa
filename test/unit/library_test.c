/* Unit tests of library: loading shared libraries on demand. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "library.h"

#include "check.h"

static double (*cosine)(double);
static void (*none)(void);

static void
loaded(void)
{
	static struct library library = {.name = "libm.so.6"};
	static const struct library_call calls[] = {{"cos", &cosine}};
	CHECK(library_load(&library, calls, 1) == NULL);
	if (!CHECK(cosine != NULL))
		return;
	CHECK_NEAR(cosine(0), 1);
	CHECK(library_load(&library, calls, 1) == NULL);
}

static void
missing(void)
{
	static struct library library = {.name = "libnone-of-ours.so.7"};
	static const struct library_call calls[] = {{"cos", &none}};
	CHECK_HAS(library_load(&library, calls, 1), "libnone-of-ours.so.7: ");
	/* The same the second time. */
	CHECK_HAS(library_load(&library, calls, 1), "libnone-of-ours.so.7: ");
	CHECK(none == NULL);
}

static void
older(void)
{
	static struct library library = {.name = "libm.so.6"};
	static const struct library_call calls[] = {{"cos", &cosine}, {"none_of_its", &none}};
	CHECK_HAS(library_load(&library, calls, 2), "none_of_its");
	CHECK(library.handle == NULL);
}

static const struct check_test tests[] = {
	{"a library is loaded, and its functions can be called", loaded},
	{"a missing library is named in the error each time", missing},
	{"a library without a required function cannot be used", older},
};
CHECK_MAIN(tests)
