/* Unit tests of arguments: building the command line of another program. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "arguments.h"

#include "check.h"

#include <stdio.h>

static void
words(void)
{
	struct arguments arguments = {0};
	char value[] = "1 s";

	arguments_add(&arguments, "ibscan");
	arguments_add_option(&arguments, "gids", NULL);
	arguments_add_option(&arguments, "interval", value);
	arguments_add_option(&arguments, "output", "");
	arguments_add(&arguments, "--");
	value[0] = '2';

	char *const *argv = arguments_argv(&arguments);
	CHECK_STR(argv[0], "ibscan");
	CHECK_STR(argv[1], "--gids");
	CHECK_STR(argv[2], "--interval=1 s");
	CHECK_STR(argv[3], "--output=");
	CHECK_STR(argv[4], "--");
	CHECK(argv[5] == NULL);
	arguments_fini(&arguments);
}

static void
many(void)
{
	struct arguments arguments = {0};
	char word[16];

	for (int i = 0; i < 1000; i++) {
		snprintf(word, sizeof word, "%d", i);
		arguments_add(&arguments, word);
		char *const *argv = arguments_argv(&arguments);
		CHECK_STR(argv[0], "0");
		CHECK_STR(argv[i], word);
		CHECK(argv[i + 1] == NULL);
	}
	arguments_fini(&arguments);
}

static const struct check_test tests[] = {
	{"words are copied, keep their order and end with NULL", words},
	{"any number of words fits, with the NULL behind them", many},
};
CHECK_MAIN(tests)
