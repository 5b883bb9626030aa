/* Unit tests of ctreval's identity: changed facts of a device or port, and when they are due
 * (spec#changes). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/identity.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

static struct identity
of(const char *device, const char *netdev)
{
	struct identity identity = {.facts = {""}};
	/* The first and the last fact. */
	strcpy(identity.facts[IDENTITY_DEVICE], device);
	strcpy(identity.facts[IDENTITY_NETDEV], netdev);
	return identity;
}

static void
differs(void)
{
	static const struct {
		const char *told, *now;
		bool differs;
	} rows[] = {{"a", "a", false}, {"a", "b", true}, {"a", "ab", true}, {"", "b", false},
		{"a", "", false}, {"", "", false}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct identity told = of(rows[i].told, ""), now = of(rows[i].now, "");
		check_row("%s, %s", rows[i].told, rows[i].now);
		CHECK_INT(identity_differs(&told, &now, IDENTITY_DEVICE), rows[i].differs);
		CHECK(!identity_differs(&told, &now, IDENTITY_NETDEV));
	}
}

static void
learns(void)
{
	struct identity told = of("a", "");
	const struct identity now = of("b", "2");
	CHECK(identity_learn(&told, &now));
	struct identity nothing = of("", ""), first = of("x", "");
	CHECK(identity_learn(&nothing, &first));
	CHECK_STR(nothing.facts[IDENTITY_DEVICE], "x");
	CHECK_STR(told.facts[IDENTITY_DEVICE], "a");
	CHECK_STR(told.facts[IDENTITY_NETDEV], "2");
	CHECK(!identity_learn(&told, &now));
}

/* The entry behind the last fact stays untouched. */
static void
learns_no_more(void)
{
	struct identity told[] = {of("a", "1"), of("", "")};
	const struct identity now[] = {of("a", "1"), of("b", "")};
	CHECK(!identity_learn(&told[0], &now[0]));
	CHECK_STR(told[1].facts[IDENTITY_DEVICE], "");
}

static void
tells_after_a_minute(void)
{
	struct identity_entry entry = {.told = of("a", "1")};
	const struct identity same = of("a", "1"), other = of("b", "1"), both = of("b", "2");
	CHECK(!identity_step(&entry, &same, 100 * S));
	CHECK_U64(entry.look, 0);
	CHECK(!identity_step(&entry, &other, 101 * S));
	/* To the nanosecond. */
	CHECK(!identity_step(&entry, &other, 161 * S - 1));
	CHECK(identity_step(&entry, &other, 161 * S));
	/* Another fact differs, and then none. */
	CHECK(!identity_step(&entry, &both, 162 * S));
	CHECK(identity_step(&entry, &both, 222 * S));
	CHECK(!identity_step(&entry, &same, 223 * S));
	CHECK_U64(entry.look, 0);
	CHECK_U64(entry.since_ns, 0);
	/* A clock that is set back restarts the time. */
	CHECK(!identity_step(&entry, &other, 300 * S));
	CHECK(!identity_step(&entry, &other, 100 * S));
	CHECK(!identity_step(&entry, &other, 159 * S));
	CHECK(identity_step(&entry, &other, 160 * S));
}

static void
tells_facts_apart(void)
{
	struct identity_entry entry = {.told = of("a", "a")};
	const struct identity first = of("b", "a"), second = of("a", "b");
	CHECK(!identity_step(&entry, &first, 100 * S));
	CHECK(!identity_step(&entry, &second, 160 * S));
	CHECK(identity_step(&entry, &second, 220 * S));
	CHECK_STR(identity_key(IDENTITY_PCI_LINK_WIDTH), "pci_link_width");
	CHECK_STR(identity_noun(IDENTITY_PCI_LINK_WIDTH), "PCI link width");
}

static const struct check_test tests[] = {
	{"a known fact with another text differs", differs},
	{"an unknown fact is learned, and a known one is kept", learns},
	{"learning stops after the facts of one device or port", learns_no_more},
	{"a change is due after it has lasted for a minute", tells_after_a_minute},
	{"the same text in another fact is another change", tells_facts_apart},
};

CHECK_MAIN(tests)
