/* Unit tests of ctreval's rate: when a port that is slower than its peers is an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/below.h"

#include "below_cells.h"
#include "check.h"

static const struct check_test tests[] = {
	{"every step of the table is as it should be", steps},
	{"reports and recoveries of a port's rate take turns", alternates},
};
CHECK_MAIN(tests)
