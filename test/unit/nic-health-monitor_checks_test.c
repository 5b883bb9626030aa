/* Unit tests of the supervisor's checks: the original's list of checks, sorted into ours and others. */
#include "../../tools/supervisor/checks.h"

#include "check.h"

#include <stdlib.h>

/* The original's default. */
#define ALL \
	"InfiniBandStateCheck,InfiniBandDegradationCheck,InfiniBandCharDeviceCheck,EthernetStateCheck," \
	"EthernetDegradationCheck,EFAStateCheck,EFADegradationCheck"

static void
sorted(void)
{
	static const struct {
		const char *list, *wanted, *left_out;
	} rows[] = {
		{"InfiniBandStateCheck", "InfiniBandStateCheck", ""},
		{ALL, "InfiniBandStateCheck,InfiniBandDegradationCheck,EthernetStateCheck,EthernetDegradationCheck",
			"InfiniBandCharDeviceCheck,EFAStateCheck,EFADegradationCheck"},
		{" EthernetStateCheck ,\tInfiniBandStateCheck\n",
			"EthernetStateCheck,InfiniBandStateCheck", ""},
		{",,EthernetStateCheck, ,", "EthernetStateCheck", ""},
		/* Whoever knows the names says what is wrong with these. */
		{"Nonsense,EFAStateCheck", "Nonsense", "EFAStateCheck"},
		{"EFAStateChecks,EFAState", "EFAStateChecks,EFAState", ""},
		{"one two", "one two", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct checks checks;
		check_row("%s", rows[i].list);
		CHECK_STR(checks_take(&checks, rows[i].list), NULL);
		CHECK_STR(checks.wanted, rows[i].wanted);
		CHECK_STR(checks.left_out, rows[i].left_out);
	}
}

static void
nothing_left(void)
{
	struct checks checks;
	CHECK_STR(checks_take(&checks, "EFAStateCheck, EFADegradationCheck"),
		"none of these checks is known here");
	CHECK_STR(checks_take(&checks, ""), "no check is named");
	CHECK_STR(checks_take(&checks, " , ,"), "no check is named");
}

static void
too_long(void)
{
	struct checks checks;
	char *list = check_repeat_new('x', CHECKS_MAX_BYTES - 1);
	CHECK_STR(checks_take(&checks, list), NULL);
	CHECK_STR(checks.wanted, list);
	free(list);
	list = check_repeat_new('x', CHECKS_MAX_BYTES);
	CHECK_STR(checks_take(&checks, list), "too long");
	free(list);
}

static const struct check_test tests[] = {
	{"names are sorted into ours and the original's others", sorted},
	{"a list of which nothing is left is refused", nothing_left},
	{"a list that does not fit is refused", too_long},
};
CHECK_MAIN(tests)
