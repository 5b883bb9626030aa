/* Unit tests of rolereason: topoclass's reasons in words. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rolereason.h"

#include "../../tools/topoclass/classify.h"
#include "check.h"

static void
every_reason(void)
{
	for (enum reason reason = 0; reason < REASON_N; reason++) {
		check_row("%s", classify_reason_name(reason));
		CHECK(rolereason_words(classify_reason_name(reason), true) != NULL);
		CHECK(rolereason_words(classify_reason_name(reason), false) != NULL);
	}
}

static void
others(void)
{
	CHECK(rolereason_words("", true) == NULL);
	CHECK(rolereason_words("moon_phase", true) == NULL);
}

static void
names(void)
{
	CHECK_STR(rolereason_words("override", true), "nicInclusionRegexOverride matches it");
	CHECK_STR(
		rolereason_words("override", false), "nicInclusionRegexOverride does not match it");
}

static const struct check_test tests[] = {
	{"every reason of topoclass has words", every_reason},
	{"an unknown reason has no words", others},
	{"a device is monitored because the override names it, or not because it does not", names},
};
CHECK_MAIN(tests)
