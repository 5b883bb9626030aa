/* Unit tests of the supervisor's checklist: parsing the original's list of checks into known and
 * unknown ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/checklist.h"

#include "check.h"

#include <stdlib.h>

/* The original's default. */
#define ALL \
	"InfiniBandStateCheck,InfiniBandDegradationCheck,InfiniBandCharDeviceCheck," \
	"EthernetStateCheck," \
	"EthernetDegradationCheck,EFAStateCheck,EFADegradationCheck"

static void
sorted(void)
{
	static const struct {
		const char *list, *wanted, *unknown;
	} rows[] = {
		{"InfiniBandStateCheck", "InfiniBandStateCheck", ""},
		{ALL, ALL, ""},
		{" EthernetStateCheck ,\tInfiniBandStateCheck\n",
			"EthernetStateCheck,InfiniBandStateCheck", ""},
		{",,EthernetStateCheck, ,", "EthernetStateCheck", ""},
		{"Nonsense,EthernetStateCheck", "EthernetStateCheck", "Nonsense"},
		{"EFAStateChecks, InfiniBandStateCheck ,one two,EFAState", "InfiniBandStateCheck",
			"EFAStateChecks,one two,EFAState"},
		{"EthernetStateCheck,EthernetStateCheck", "EthernetStateCheck,EthernetStateCheck",
			""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct checklist checks;
		check_row("%s", rows[i].list);
		CHECK_STR(checklist_parse(&checks, rows[i].list), NULL);
		CHECK_STR(checks.wanted, rows[i].wanted);
		CHECK_STR(checks.unknown, rows[i].unknown);
	}
}

/* Each is reported, with the name that may have been meant. */
static void
unknown(void)
{
#define KNOWN \
	"; known: InfiniBandStateCheck, InfiniBandDegradationCheck, InfiniBandCharDeviceCheck, " \
	"EthernetStateCheck, EthernetDegradationCheck, EFAStateCheck, EFADegradationCheck"
	struct checklist checks;
	struct words words;
	CHECK_STR(
		checklist_parse(&checks, "InfinibandStateChek,Nonsense,EthernetStateCheck"), NULL);
	const char *rest = checks.unknown;
	CHECK_STR(checklist_next_unknown(&rest, &words),
		"unknown check \"InfinibandStateChek\" (did "
		"you mean \"InfiniBandStateCheck\"?)" KNOWN);
	CHECK_STR(checklist_next_unknown(&rest, &words), "unknown check \"Nonsense\"" KNOWN);
	CHECK_STR(checklist_next_unknown(&rest, &words), NULL);
	rest = "";
	CHECK_STR(checklist_next_unknown(&rest, &words), NULL);
}

static void
nothing_left(void)
{
	struct checklist checks;
	static const char none[] =
		"no known check in the list; the known ones are InfiniBandStateCheck, "
		"InfiniBandDegradationCheck, InfiniBandCharDeviceCheck, EthernetStateCheck, "
		"EthernetDegradationCheck, EFAStateCheck, EFADegradationCheck";
	CHECK_STR(checklist_parse(&checks, "Nonsense"), none);
	CHECK_STR(checklist_parse(&checks, ""), "no check is named");
	CHECK_STR(checklist_parse(&checks, " , ,"), "no check is named");
}

static void
too_long(void)
{
	struct checklist checks;
	char *list = check_repeat_new('x', CHECKLIST_MAX_BYTES - 1);
	memcpy(list, "EFAStateCheck,EthernetStateCheck,", 33);
	CHECK_STR(checklist_parse(&checks, list), NULL);
	CHECK_STR(checks.unknown, list + 33);
	free(list);
	list = check_repeat_new('x', CHECKLIST_MAX_BYTES);
	CHECK_STR(checklist_parse(&checks, list), "too long");
	free(list);
}

static const struct check_test tests[] = {
	{"names are sorted into known and unknown checks", sorted},
	{"an unknown name is reported, with the name that may have been meant", unknown},
	{"a list without a known check is refused", nothing_left},
	{"a list that is too long is refused", too_long},
};
CHECK_MAIN(tests)
