/* Unit tests of ctreval's rate: events for ports that are slower than their peers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/below.h"

#include "below_cells.h"
#include "check.h"

static const struct check_test tests[] = {
	{"every step of the table matches the specification", steps},
	{"reports and recoveries of a port's rate alternate", alternates},
};
CHECK_MAIN(tests)
