/* Unit tests of ibscan's stall: the running time of a scan (spec#scan-stall). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/stall.h"

#include "check.h"
#include "num.h"

#define S NUM_NS_PER_S

static void
counted(void)
{
	static const struct {
		uint64_t before_ns, elapsed_ns;
		bool output_is_free;
		uint64_t then_ns;
	} rows[] = {
		{0, S / 2, true, S / 2},
		{3 * S, S, true, 4 * S},
		/* The time is checked once a second during a scan: a longer step means that the
		 * process was not running. */
		{3 * S, S + 1, true, 4 * S},
		{3 * S, 600 * S, true, 4 * S},
		/* Its reader does not read. */
		{3 * S, S, false, 3 * S},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_U64(stall_count_ns(
				  rows[i].before_ns, rows[i].elapsed_ns, rows[i].output_is_free),
			rows[i].then_ns);
	}
}

static void
checked(void)
{
	CHECK_U64(stall_next_check_ns(0), 2 * S);
	CHECK_U64(stall_next_check_ns(S / 50), 2 * S);
	CHECK_U64(stall_next_check_ns(S / 10), S);
	CHECK_U64(stall_next_check_ns(30 * S), S);
}

static const struct check_test tests[] = {
	{"only time in which the scan could make progress counts", counted},
	{"only a long scan is checked each second", checked},
};

CHECK_MAIN(tests)
