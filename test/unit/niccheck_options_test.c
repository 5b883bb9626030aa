/* Unit tests of niccheck's options. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/niccheck/options.h"

#include "commandline.h"

static struct options options;

static int
parse_words(int argc, char **argv, int *exit_code)
{
	return options_parse(&options, argc, argv, exit_code);
}

static void
defaults(void)
{
	accept("", "");
	CHECK_INT((int64_t)options.settle_ns, 2000000000);
	CHECK(!options.json && !options.quiet);
	CHECK_STR(options.service.state_path, NULL);
	CHECK_STR(options.service.log_state_path, NULL);
	CHECK_STR(options.service.spool_path, NULL);
	CHECK_STR(options.service.acks_path, NULL);
	CHECK_STR(options.service.interval, NULL);
	CHECK_INT((int64_t)options.service.sink_word_count, 0);
}

static void
given(void)
{
	accept("--settle 500ms --json --quiet -sysfs-root /s --metadata-path m --route-path r "
	       "--route6-path 6 --boot-id-path b --node-name n --config c --processing-strategy w",
		"");
	CHECK_INT((int64_t)options.settle_ns, 500000000);
	CHECK(options.json && options.quiet);
	CHECK_STR(options.service.sysfs_root, "/s");
	CHECK_STR(options.service.metadata_path, "m");
	CHECK_STR(options.service.route_path, "r");
	CHECK_STR(options.service.route6_path, "6");
	CHECK_STR(options.service.boot_id_path, "b");
	CHECK_STR(options.service.node_name, "n");
	CHECK_STR(options.service.config_path, "c");
	CHECK_STR(options.service.strategy, "w");
}

static void
checks(void)
{
	static const char line[] = "--checks NoSuchCheck,EthernetStateCheck";
	accept(line, "t: warning: --checks: skipped: unknown check \"NoSuchCheck\"; known: "
		     "InfiniBandStateCheck, InfiniBandDegradationCheck, InfiniBandCharDeviceCheck, "
		     "EthernetStateCheck, EthernetDegradationCheck, EFAStateCheck, "
		     "EFADegradationCheck\n");
	CHECK_STR(options.service.checks, "EthernetStateCheck");
	accept("--quiet --checks NoSuchCheck,EthernetStateCheck", "");
}

static void
refused(void)
{
	refuse("--settle 1h1ns",
		"t: error: --settle '1h1ns': not a duration of at most an hour, such as 500ms or "
		"2s (try 't --help')\n");
	refuse("--node-name=",
		"t: error: --node-name '': not a valid node name (try 't --help')\n");
	refuse("--once", "t: error: unknown option '--once' (try 't --help')\n");
	refuse("--sink -", "t: error: unknown option '--sink' (try 't --help')\n");
	refuse("operand", "t: error: unexpected operand 'operand' (try 't --help')\n");
}

static void
name(void)
{
	char long_name[300];
	memset(long_name, 'n', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	setenv("NODE_NAME", long_name, 1);
	refuse("--json", "t: error: NODE_NAME: longer than 253 bytes: not a valid node name\n");
	accept("--node-name n", "");
	unsetenv("NODE_NAME");
}

static const struct check_test tests[] = {
	{"without options the settle time is two seconds, output is text, and no state is kept",
		defaults},
	{"each option is stored for the stages and the report", given},
	{"unknown checks are left out with a warning, or quietly with --quiet", checks},
	{"invalid values and options of the service are refused by name", refused},
	{"a node name too long for a record is refused, unless another is given", name},
};
CHECK_MAIN(tests)
