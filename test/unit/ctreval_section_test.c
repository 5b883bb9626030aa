/* Unit tests of ctreval's section: which entries belong to a section of the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/section.h"

#include "check.h"

struct thing {
	bool flag;
	uint64_t wide;
	char text[40];
};

static bool
holds_none(const void *entry)
{
	(void)entry;
	return false;
}

static void
members(void)
{
	const struct section flag = {FIELD_AT(struct thing, flag)};
	const struct section wide = {FIELD_AT(struct thing, wide)};
	const struct section text = {FIELD_AT(struct thing, text)};
	struct thing thing = {.flag = false};

	CHECK(!section_has(&flag, &thing) && !section_has(&wide, &thing));
	CHECK(!section_has(&text, &thing));
	thing.flag = true;
	CHECK(section_has(&flag, &thing) && !section_has(&wide, &thing));
	/* Every byte of the member counts, however long it is. */
	thing = (struct thing){.wide = UINT64_C(1) << 63};
	CHECK(section_has(&wide, &thing) && !section_has(&flag, &thing));
	CHECK(!section_has(&text, &thing));
	thing = (struct thing){.text[sizeof thing.text - 1] = 'x'};
	CHECK(section_has(&text, &thing) && !section_has(&wide, &thing));
}

static void
all_and_none(void)
{
	const struct thing thing = {.flag = true};
	CHECK(section_has(&(const struct section){.key = "all"}, &thing));
	CHECK(!section_has(
		&(const struct section){.holds = holds_none, FIELD_AT(struct thing, flag)},
		&thing));
}

static const struct check_test tests[] = {
	{"a section has the entries whose member is not 0, whatever its size", members},
	{"a section has all entries, unless it names a member or a function that chooses them",
		all_and_none},
};
CHECK_MAIN(tests)
