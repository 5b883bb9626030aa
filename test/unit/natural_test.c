/* Unit tests of natural: the order people expect of names. */
#include "natural.h"

#include "check.h"

static int
sign(int value)
{
	return (value > 0) - (value < 0);
}

/* Ascending; every pair is compared, which is antisymmetry and transitivity at once. */
static const char *const ordered[] = {
	"",
	"0",
	"00000000000000000000000000000001",
	"01",
	"1",
	"1a",
	"2",
	"10",
	"18446744073709551615",
	"18446744073709551616",
	"99999999999999999999999999999998",
	"99999999999999999999999999999999",
	"100000000000000000000000000000000",
	"a",
	"a0",
	"a1b2",
	"a1b10",
	"a2",
	"ab",
	"mlx5_",
	"mlx5_0",
	"mlx5_1",
	"mlx5_1_2",
	"mlx5_2",
	"mlx5_9",
	"mlx5_010",
	"mlx5_10",
	"mlx5_10a",
	"mlx5_11",
	"mlx5_bond_0",
	"mlx6_0",
	"mlx05_1",
	"mlx10_0",
	"\xC3\xA4",
};

static void
all_pairs(void)
{
	for (size_t i = 0; i < CHECK_COUNT(ordered); i++) {
		for (size_t k = 0; k < CHECK_COUNT(ordered); k++) {
			int expected = i == k ? 0 : i < k ? -1 : 1;
			/* Listed apart, because "mlx05" is 5 like "mlx5" and so sorts among them. */
			if (strncmp(ordered[i], "mlx05", 5) == 0 ||
				strncmp(ordered[k], "mlx05", 5) == 0)
				continue;
			check_row("\"%s\" and \"%s\"", ordered[i], ordered[k]);
			CHECK_INT(sign(natural_compare(ordered[i], ordered[k])), expected);
		}
	}
}

static void
is_an_order(void)
{
	const size_t n = CHECK_COUNT(ordered);
	for (size_t a = 0; a < n; a++) {
		for (size_t b = 0; b < n; b++) {
			int ab = sign(natural_compare(ordered[a], ordered[b]));
			check_row("\"%s\" and \"%s\"", ordered[a], ordered[b]);
			CHECK_INT(sign(natural_compare(ordered[b], ordered[a])), -ab);
			CHECK((ab == 0) == (a == b));
			for (size_t c = 0; c < n; c++) {
				if (ab <= 0 && natural_compare(ordered[b], ordered[c]) <= 0)
					CHECK(natural_compare(ordered[a], ordered[c]) <= 0);
			}
		}
	}
}

static void
numbers(void)
{
	CHECK(natural_compare("mlx5_2", "mlx5_10") < 0);
	CHECK(natural_compare("mlx5_10", "mlx5_2") > 0);
	CHECK_INT(natural_compare("mlx5_10", "mlx5_10"), 0);
}

static void
leading_zeros(void)
{
	CHECK(natural_compare("a01", "a2") < 0);
	CHECK(natural_compare("a010", "a9") > 0);
	CHECK(natural_compare("a01", "a1") < 0);
	CHECK(natural_compare("a00", "a0") != 0);
	/* The zeros decide only where nothing else does. */
	CHECK(natural_compare("a01b", "a1a") > 0);
	CHECK(natural_compare("mlx05_1", "mlx5_2") < 0);
}

static const struct check_test tests[] = {
	{"mlx5_2 comes before mlx5_10", numbers},
	{"a list of names has one order, long runs of digits included", all_pairs},
	{"leading zeros do not count, but tell different names apart", leading_zeros},
	{"the order is antisymmetric and transitive, and equal is only the same", is_an_order},
};
CHECK_MAIN(tests)
