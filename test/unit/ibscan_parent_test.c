/* Unit tests of ibscan's parent: which RDMA devices on a PCI function are parts of another. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/parent.h"

#include "check.h"

#define SIBLINGS_MAX 6

struct row {
	const char *what;
	struct sibling siblings[SIBLINGS_MAX + 1];
	const char *parent; /* of all devices that are parts */
	const char *own;    /* the first letters of the devices that are not */
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t siblings = 0;
		check_row("%s", rows[i].what);
		while (rows[i].siblings[siblings].name != NULL)
			siblings++;
		for (size_t s = 0; s < siblings; s++) {
			const char *self = rows[i].siblings[s].name;
			bool own = strchr(rows[i].own, *self) != NULL;
			CHECK_STR(parent_among(rows[i].siblings, siblings, self),
				own ? NULL : rows[i].parent);
		}
	}
}

static void
alone(void)
{
	static const struct row rows[] = {
		{"one device", {{"a", true, true, 1}}, NULL, "a"},
		{"one device without nodes", {{"a", false, false, 4}}, NULL, "a"},
	};
	check_rows(rows, CHECK_COUNT(rows));
	CHECK_STR(parent_among(NULL, 0, "a"), NULL);
}

static void
nodes(void)
{
	static const struct row rows[] = {
		{"as the kernel makes them", {{"m", true, false, 1}, {"s", false, true, 4}}, "m",
			"m"},
		{"whatever their names and ports are",
			{{"a", false, false, 1}, {"z", true, true, 4}}, "z", "z"},
		{"several parts",
			{{"m", true, false, 1}, {"s", false, true, 1}, {"t", false, true, 1}}, "m",
			"m"},
		{"several with verbs are none of them a part",
			{{"a", true, false, 1}, {"b", true, false, 1}, {"s", false, true, 4}}, "a",
			"ab"},
		{"ib_uverbs is not loaded", {{"a", false, true, 1}, {"m", false, false, 4}}, "m",
			"m"},
		{"nor is ib_umad", {{"a", false, false, 4}, {"m", false, false, 1}}, "m", "m"},
		{"all have verbs, only some a subnet manager",
			{{"m", true, false, 1}, {"s", true, true, 4}}, "m", "m"},
		{"two NICs of irdma or mana_ib", {{"a", true, false, 1}, {"b", true, false, 2}},
			NULL, "ab"},
		{"two that manage a subnet", {{"a", true, true, 1}, {"b", true, true, 1}}, NULL,
			"ab"},
		{"in the middle of being made", {{"m", true, false, 1}, {"s", false, false, 0}},
			"m", "m"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static const struct check_test tests[] = {
	{"a device alone on its function has no parent", alone},
	{"the parent is the device with verbs, else without a subnet manager, and without verbs "
	 "the smallest",
		nodes},
};
CHECK_MAIN(tests)
