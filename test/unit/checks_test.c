/* Unit tests of checks: their names and link layers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "checks.h"

#include "check.h"

static void
names(void)
{
	for (enum check check = 0; check < CHECK_N; check++) {
		const char *name = check_name(check);
		check_row("%s", name);
		CHECK_INT(check_find(name, strlen(name)), check);
		CHECK_INT(check_find(name, strlen(name) - 1), CHECK_N);
	}
	CHECK(check_name(CHECK_N) == NULL);
}

static void
layers(void)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		check_row("%s", layer_name(layer));
		CHECK_INT(check_layer(check_state(layer)), layer);
		CHECK_INT(check_layer(check_degradation(layer)), layer);
	}
	check_row("character devices");
	CHECK_INT(check_layer(CHECK_IB_CHARDEV), LAYER_INFINIBAND);
}

static const struct check_test tests[] = {
	{"each check is found by its whole name", names},
	{"each check has its link layer", layers},
};
CHECK_MAIN(tests)
