/* Unit tests of conf: loading the configuration file and rejecting errors in it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "check.h"
#include "confload.h"
#include "diag.h"
#include "errorcode.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Check that the file is rejected with each of the lines (without "t: error: FILE:"), in order. */
static void
check_refused(const char *yaml, const char *const *lines, size_t count)
{
	struct conf conf;
	int status;
	char *messages = load_new(yaml, &conf, &status);
	const char *at = messages;
	check_row("%s", yaml);
	CHECK_INT(status, 78);
	CHECK_INT((int64_t)check_occurrences(messages, "\n"), (int64_t)count);
	for (size_t i = 0; i < count; i++) {
		char wanted[300];
		snprintf(wanted, sizeof wanted, "t: error: FILE:%s", lines[i]);
		if (!CHECK_HAS(at, wanted))
			break;
		at = strstr(at, wanted) + strlen(wanted);
	}
	free(messages);
}

#define REFUSED(yaml, ...) \
	do { \
		static const char *const lines[] = {__VA_ARGS__}; \
		check_refused(yaml, lines, CHECK_COUNT(lines)); \
	} while (0)

#define COUNTER(fields) "counterDetection:\n  counters:\n    - {" fields "}\n"
#define NEW "name: new, path: counters/new, thresholdType: delta"

static void
check_defaults(const struct conf *conf)
{
	struct counter_list builtin;
	CHECK_INT(counter_list_init(&builtin), 0);
	CHECK(conf->counter_detection);
	CHECK(!conf->fatal_counters_as_degradation);
	CHECK_INT(conf->confirm_scans, 3);
	CHECK_U64(conf->driver_reload_grace_ns, 0);
	CHECK_U64(conf->boot_grace_ns, 0);
	CHECK_INT((int64_t)conf->inclusion.count, 0);
	CHECK_INT((int64_t)conf->exclusion.count, 4);
	CHECK(rx_list_match(&conf->exclusion, "veth0"));
	CHECK(rx_list_match(&conf->exclusion, "docker0"));
	CHECK(rx_list_match(&conf->exclusion, "br-7"));
	CHECK(rx_list_match(&conf->exclusion, "lo"));
	CHECK(!rx_list_match(&conf->exclusion, "mlx5_0"));
	CHECK_INT((int64_t)conf->counters.count, (int64_t)builtin.count);
	counter_list_fini(&builtin);
}

static void
defaults(void)
{
	static const char *const rows[] = {"", "# nothing\n", "{}", "counterDetection:\n",
		"counterDetection: {counters: []}\n", "nicDriverDetection: {}\nhomogeneity:\n"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct conf conf;
		check_row("%s", rows[i]);
		if (!load(rows[i], &conf))
			continue;
		check_defaults(&conf);
		conf_fini(&conf);
	}
}

static void
no_file(void)
{
	struct conf conf;
	if (access(CONF_DEFAULT_PATH, F_OK) == 0)
		return;
	if (CHECK_INT(conf_load(&conf, NULL), 0)) {
		check_defaults(&conf);
		conf_fini(&conf);
	}
}

static void
specification_example(void)
{
	/* A typical configuration file. */
	static const char yaml[] =
		"nicExclusionRegex: \"^veth.*,^docker.*,^br-.*,^lo$\"   # comma-separated "
		"expressions\n"
		"nicInclusionRegexOverride: \"\"\n"
		"counterDetection:\n"
		"  enabled: true\n"
		"  counters:                      # merged by name over the defaults; new names "
		"need a path\n"
		"    - {name: port_xmit_wait, enabled: false}\n"
		"    - {name: symbol_error, isFatal: true, thresholdType: velocity, threshold: "
		"120.0, velocityUnit: hour}\n"
		"    - {name: vendor_err, path: hw_counters/vendor_specific_err, thresholdType: "
		"delta, threshold: 100, description: \"Vendor-specific error counter\"}\n"
		"nicDriverDetection: {patterns: [{name: access_reg_failed, enabled: false}, {name: "
		"netdev_watchdog, processingStrategy: STORE_ONLY}]}\n"
		"fatalCounterCheck: state\n"
		"homogeneity: {settleSeconds: 30}\n"
		"disappearance: {confirmScans: 1}\n"
		"baseline: {clearCheck: true}\n";
	struct conf conf;
	if (!load(yaml, &conf))
		return;
	CHECK(!conf.patterns[LOGPATTERN_ACCESS_REG_FAILED].enabled);
	CHECK(conf.patterns[LOGPATTERN_ACCESS_REG_FAILED].strategy == NULL);
	CHECK(conf.patterns[LOGPATTERN_NETDEV_WATCHDOG].enabled);
	CHECK_STR(conf.patterns[LOGPATTERN_NETDEV_WATCHDOG].strategy, "STORE_ONLY");
	CHECK(conf.patterns[LOGPATTERN_CMD_EXEC_TIMEOUT].enabled);
	const struct counter_def *wait = counter_list_find(&conf.counters, "port_xmit_wait");
	const struct counter_def *symbol = counter_list_find(&conf.counters, "symbol_error");
	const struct counter_def *vendor = counter_list_find(&conf.counters, "vendor_err");
	CHECK(wait != NULL && !wait->enabled);
	if (CHECK(symbol != NULL)) {
		CHECK(symbol->fatal && symbol->enabled);
		CHECK_INT(symbol->type, COUNTER_VELOCITY);
		CHECK_INT(symbol->unit, COUNTER_PER_HOUR);
		CHECK_NEAR(symbol->threshold, 120);
	}
	if (CHECK(vendor != NULL)) {
		CHECK_INT(vendor->group, COUNTER_HW);
		CHECK_STR(vendor->file, "vendor_specific_err");
		CHECK_INT(vendor->type, COUNTER_DELTA);
		CHECK_NEAR(vendor->threshold, 100);
		CHECK_STR(vendor->description, "Vendor-specific error counter");
		CHECK(vendor->enabled && !vendor->fatal);
	}
	CHECK_INT((int64_t)conf.inclusion.count, 0);
	CHECK(!conf.fatal_counters_as_degradation);
	conf_fini(&conf);
}

static void
json_too(void)
{
	struct conf conf;
	if (!load("{\"counterDetection\":{\"enabled\":false},\"fatalCounterCheck\":\"degradation\","
		  "\"nicInclusionRegexOverride\":\"^a$,^b$\",\"nicExclusionRegex\":\"\"}",
		    &conf))
		return;
	CHECK(!conf.counter_detection);
	CHECK(conf.fatal_counters_as_degradation);
	CHECK_INT((int64_t)conf.inclusion.count, 2);
	CHECK(rx_list_match(&conf.inclusion, "b"));
	CHECK_INT((int64_t)conf.exclusion.count, 0);
	conf_fini(&conf);
}

static void
merging(void)
{
	/* Each key in turn over symbol_error; every other field stays. */
	const struct {
		const char *field;
		struct counter_def expected;
	} rows[] = {
		{"enabled: false",
			{.threshold = 10, .unit = COUNTER_PER_SECOND, .type = COUNTER_VELOCITY}},
		{"isFatal: true", {.threshold = 10,
					  .type = COUNTER_VELOCITY,
					  .enabled = true,
					  .fatal = true}},
		{"threshold: 0.5", {.threshold = 0.5, .type = COUNTER_VELOCITY, .enabled = true}},
		{"threshold: 0", {.threshold = 0, .type = COUNTER_VELOCITY, .enabled = true}},
		{"thresholdType: delta", {.threshold = 10, .type = COUNTER_DELTA, .enabled = true}},
		{"velocityUnit: minute", {.threshold = 10,
						 .type = COUNTER_VELOCITY,
						 .unit = COUNTER_PER_MINUTE,
						 .enabled = true}},
		{"earlyBreach: true", {.threshold = 10,
					      .type = COUNTER_VELOCITY,
					      .enabled = true,
					      .early_breach = true}},
		{"path: hw_counters/other", {.threshold = 10,
						    .type = COUNTER_VELOCITY,
						    .enabled = true,
						    .group = COUNTER_HW,
						    .file = (char[]){"other"}}},
		{"description: Other", {.threshold = 10,
					       .type = COUNTER_VELOCITY,
					       .enabled = true,
					       .description = (char[]){"Other"}}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char yaml[300];
		struct conf conf;
		const struct counter_def *expected = &rows[i].expected;
		snprintf(yaml, sizeof yaml, COUNTER("name: symbol_error, %s"), rows[i].field);
		check_row("%s", rows[i].field);
		if (!load(yaml, &conf))
			continue;
		const struct counter_def *def = counter_list_find(&conf.counters, "symbol_error");
		if (CHECK(def != NULL)) {
			CHECK_STR(def->file,
				expected->file != NULL ? expected->file : "symbol_error");
			CHECK_STR(def->description,
				expected->description != NULL
					? expected->description
					: "PHY bit errors before FEC - physical layer degradation");
			CHECK_INT(def->group, expected->group);
			CHECK_INT(def->type, expected->type);
			CHECK_INT(def->unit, expected->unit);
			CHECK_NEAR(def->threshold, expected->threshold);
			CHECK_INT(def->fatal, expected->fatal);
			CHECK_INT(def->enabled, expected->enabled);
			CHECK_INT(def->early_breach, expected->early_breach);
		}
		/* No other counter changes. */
		const struct counter_def *other =
			counter_list_find(&conf.counters, "symbol_error_fatal");
		CHECK(other != NULL && other->fatal && other->unit == COUNTER_PER_HOUR);
		CHECK_STR(other->file, "symbol_error");
		conf_fini(&conf);
	}
}

static void
switching_on(void)
{
	struct conf conf;
	if (!load(COUNTER("name: rx_errors, enabled: true"), &conf))
		return;
	const struct counter_def *def = counter_list_find(&conf.counters, "rx_errors");
	CHECK(def != NULL && def->enabled);
	CHECK_NEAR(def->threshold, 10);
	conf_fini(&conf);
}

static void
new_counters(void)
{
	struct conf conf;
	if (!load("counterDetection:\n  counters:\n"
		  "    - {name: a, path: statistics/a, thresholdType: velocity}\n"
		  "    - {name: b, path: \"/sys/class/net/{interface}/b\", thresholdType: delta}\n",
		    &conf))
		return;
	const struct counter_def *a = counter_list_find(&conf.counters, "a");
	const struct counter_def *b = counter_list_find(&conf.counters, "b");
	CHECK(a != NULL && a->enabled && !a->fatal && a->group == COUNTER_STATISTICS);
	CHECK_INT(a->unit, COUNTER_PER_SECOND);
	CHECK(a->description != NULL && *a->description != '\0');
	CHECK(b != NULL && b->group == COUNTER_INTERFACE && b->type == COUNTER_DELTA);
	conf_fini(&conf);
}

static void
unknown_keys(void)
{
	REFUSED("bogus: 1\n", "1:1: unknown key \"bogus\"");
	REFUSED("nicexclusionregex: \"\"\n", "1:1: unknown key");
	REFUSED("counterDetection: {bogus: 1}\n", "1:20: unknown key \"bogus\"");
	REFUSED(COUNTER("name: symbol_error, treshold: 1"), "3:28: unknown key \"treshold\"");
	REFUSED("nicDriverDetection: {bogus: 1}\n", "1:22: unknown key");
	REFUSED("nicDriverDetection: {patterns: [{name: module_unplugged, regex: x}]}\n",
		"1:58: unknown key \"regex\"");
	REFUSED("homogeneity: {settle: 1}\n", "1:15: unknown key");
	REFUSED("disappearance: {scans: 1}\n", "1:17: unknown key");
	REFUSED("baseline: {clear: true}\n", "1:12: unknown key");
}

static void
duplicates(void)
{
	REFUSED("baseline: {}\nbaseline: {}\n", "2:1: key \"baseline\" is given twice");
	REFUSED("counterDetection:\n  counters:\n    - {name: symbol_error}\n"
		"    - {name: link_downed}\n    - {name: symbol_error}\n",
		"5:14: counter \"symbol_error\" is given twice");
	REFUSED("counterDetection:\n  counters:\n    - {" NEW "}\n    - {" NEW "}\n",
		"4:14: counter \"new\" is given twice");
	REFUSED(COUNTER("name: symbol_error, threshold: 1, threshold: 2"),
		"3:42: key \"threshold\" is given twice");
}

static void
thresholds(void)
{
	static const char *const values[] = {"-1", "-0.5", "nan", "NaN", ".nan", "inf", "-inf",
		".inf", "-.Inf", "1e999", "ten", "\"\"", "0x10", "1_000", "' 1'"};
	for (size_t i = 0; i < CHECK_COUNT(values); i++) {
		char yaml[200];
		static const char *const lines[] = {"3:39: threshold "};
		snprintf(
			yaml, sizeof yaml, COUNTER("name: symbol_error, threshold: %s"), values[i]);
		check_refused(yaml, lines, 1);
	}
	REFUSED(COUNTER("name: symbol_error, threshold: [1]"),
		"3:39: a single value is expected here");
}

static void
missing_values(void)
{
	REFUSED(COUNTER("name: symbol_error, threshold: ~"), "3:39: a value is missing here");
	REFUSED("nicExclusionRegex:\n", "1:19: a value is missing here");
	REFUSED("fatalCounterCheck: null\n", "1:20: a value is missing here");
	REFUSED("baseline: {}\n---\nbaseline: {}\n", "3:1: a second document");
}

static void
unknown_words(void)
{
	REFUSED(COUNTER("name: symbol_error, thresholdType: rate"),
		"3:43: unknown thresholdType \"rate\"");
	REFUSED(COUNTER("name: symbol_error, velocityUnit: day"),
		"3:42: unknown velocityUnit \"day\"");
	REFUSED("fatalCounterCheck: both\n", "1:20: unknown fatalCounterCheck \"both\"");
	REFUSED("nicDriverDetection: {patterns: [{name: bogus}]}\n",
		"1:40: unknown pattern \"bogus\"");
	REFUSED("nicDriverDetection: {patterns: [{name: module_unplugged, "
		"processingStrategy: STORE}]}\n",
		"1:78: unknown processingStrategy \"STORE\"");
	REFUSED("nicDriverDetection: {patterns: [{enabled: true}]}\n",
		"1:33: the pattern has no name");
}

static void
slips(void)
{
	REFUSED(COUNTER("name: symbol_error, thresholdType: velocty"),
		"3:43: unknown thresholdType \"velocty\" (did you mean \"velocity\"?); known: "
		"delta, velocity\n");
	REFUSED(COUNTER("name: symbol_error, velocityUnit: Hour"),
		"3:42: unknown velocityUnit \"Hour\" (did you mean \"hour\"?); known: second, "
		"minute, hour\n");
	REFUSED("fatalCounterCheck: degredation\n",
		"1:20: unknown fatalCounterCheck \"degredation\" (did you mean \"degradation\"?); "
		"known: state, degradation\n");
	REFUSED("nicDriverDetection: {patterns: [{name: cmd_exec_timout, enabled: false}]}\n",
		"1:40: unknown pattern \"cmd_exec_timout\" (did you mean \"cmd_exec_timeout\"?); "
		"known: cmd_exec_timeout, health_poll_failed, ");
	REFUSED("nicDriverDetection: {patterns: [{name: temp_warn, processingStrategy: "
		"STORE-ONLY}]}\n",
		"1:71: unknown processingStrategy \"STORE-ONLY\" (did you mean \"STORE_ONLY\"?); "
		"known: EXECUTE_REMEDIATION, STORE_ONLY, STORE_AND_ANALYSE\n");
	REFUSED("nicExclusionRegexes: \"\"\n",
		"1:1: unknown key \"nicExclusionRegexes\" (did you mean \"nicExclusionRegex\"?); "
		"known: nicExclusionRegex, ");
	REFUSED("disappearance: {confirmscans: 3, driverReload: 1s}\n",
		"1:17: unknown key \"confirmscans\" (did you mean \"confirmScans\"?); known: "
		"confirmScans, driverReloadGrace\n",
		"1:34: unknown key \"driverReload\"; known: confirmScans, driverReloadGrace\n");
	REFUSED(COUNTER("name: symbol_eror, thresholdType: delta"),
		"3:14: counter \"symbol_eror\" is new and needs a path (did you mean "
		"\"symbol_error\"?) (nic-health-monitor.yaml(5) lists the known counters)\n");
}

static void
known_words(void)
{
	/* spec#log-patterns, to the letter: existing configuration files use these names. */
	static const char *const patterns[] = {"cmd_exec_timeout", "health_poll_failed",
		"unrecoverable_err", "mlx5_napi_soft_lockup", "pci_power_insufficient",
		"port_module_high_temp", "access_reg_failed", "netdev_watchdog", "module_unplugged",
		"mlx5_tx_timeout_detected", "mlx5_rx_timeout_detected"};
	for (size_t i = 0; i < CHECK_COUNT(patterns); i++) {
		CHECK_STR(logpattern_name((enum logpattern)i), patterns[i]);
		CHECK(!logpattern_is_extended((enum logpattern)i));
	}
	CHECK(logpattern_is_extended((enum logpattern)CHECK_COUNT(patterns)));
}

static void
every_pattern(void)
{
	/* Each pattern, with each strategy; the other patterns stay the same. */
	static const char *const strategies[] = {
		"EXECUTE_REMEDIATION", "STORE_ONLY", "STORE_AND_ANALYSE"};
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		char yaml[200];
		struct conf conf;
		const char *strategy = strategies[pattern % CHECK_COUNT(strategies)];
		snprintf(yaml, sizeof yaml,
			"nicDriverDetection: {patterns: [{enabled: false, processingStrategy: %s, "
			"name: %s}]}\n",
			strategy, logpattern_name(pattern));
		check_row("%s", yaml);
		if (!load(yaml, &conf))
			continue;
		for (enum logpattern other = 0; other < LOGPATTERN_N; other++) {
			const char *unset = logpattern_is_extended(other) ? "STORE_ONLY" : NULL;
			const struct conf_pattern *setting = &conf.patterns[other];
			CHECK_INT(setting->enabled, other != pattern);
			CHECK_STR(setting->strategy, other == pattern ? strategy : unset);
		}
		conf_fini(&conf);
	}
}

static void
patterns_twice(void)
{
	REFUSED("nicDriverDetection: {patterns: [{name: module_unplugged}, {name: "
		"netdev_watchdog}, {name: module_unplugged, enabled: false}]}\n",
		"1:91: pattern \"module_unplugged\" is given twice");
	REFUSED("nicDriverDetection: {patterns: [~]}\n", "1:33: the pattern has no name");
	REFUSED("nicDriverDetection: {patterns: [7]}\n", "1:33: the pattern has no name");
	REFUSED("nicDriverDetection: {patterns: [{name: [a]}]}\n", "1:40: ");
}

static void
expressions(void)
{
	REFUSED("nicExclusionRegex: \"^a$,(b\"\n", "1:20: bad expression at character ");
	REFUSED("nicInclusionRegexOverride: \"[\"\n", "1:28: bad expression at character ");
	REFUSED("nicExclusionRegex: [a]\n", "1:20: a single value is expected here");
	REFUSED("nicInclusionRegexOverride: false\n",
		"1:28: false is no list of expressions (write \"\" for an empty one)");
	REFUSED("nicInclusionRegexOverride: False\n", "1:28: False is no list of expressions");
	REFUSED("nicExclusionRegex: OFF\n", "1:20: OFF is no list of expressions");
	REFUSED("nicExclusionRegex: 5\n", "1:20: 5 is no list of expressions");
	REFUSED("nicExclusionRegex: \"^a$ , (b\"\n", "1:20: bad expression at character 9: ");
}

static void
blanks(void)
{
	struct conf conf;
	if (!load("nicExclusionRegex: \"^veth.*, ^mlx5_1$ ,\\t^a b$\"\n"
		  "nicInclusionRegexOverride: \" ^mlx5_2$ , ^mlx5_3$\\n\"\n",
		    &conf))
		return;
	CHECK_INT((int64_t)conf.exclusion.count, 3);
	CHECK(rx_list_match(&conf.exclusion, "mlx5_1"));
	CHECK(rx_list_match(&conf.exclusion, "a b"));
	CHECK(!rx_list_match(&conf.exclusion, "mlx5_2"));
	CHECK_INT((int64_t)conf.inclusion.count, 2);
	CHECK(rx_list_match(&conf.inclusion, "mlx5_2"));
	CHECK(rx_list_match(&conf.inclusion, "mlx5_3"));
	conf_fini(&conf);
}

/* As an override, an empty list could mean nothing or everything. */
static void
empty_lists(void)
{
	static const char *const lists[] = {",", ",,", " ", "   ", " , ,", "\\t", "\\n,\\r"};
	static const char *const keys[] = {"nicExclusionRegex", "nicInclusionRegexOverride"};
	for (size_t i = 0; i < CHECK_COUNT(lists) * CHECK_COUNT(keys); i++) {
		char yaml[100];
		static const char *const lines[] = {
			"\" contains no expression (write \"\" for an empty list)\n"};
		struct conf conf;
		int status;
		snprintf(yaml, sizeof yaml, "%s: \"%s\"\n", keys[i % 2], lists[i / 2]);
		char *messages = load_new(yaml, &conf, &status);
		check_row("%s", yaml);
		CHECK_INT(status, 78);
		CHECK_HAS(messages, lines[0]);
		free(messages);
	}
}

static void
paths(void)
{
	static const char *const bad[] = {"hw_counters/lifespan", "counters/../state",
		"/etc/passwd", "symbol_error", "counters/", "\"\"", "statistics/a/b"};
	for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
		char yaml[200];
		static const char *const lines[] = {"3:25: \""};
		snprintf(yaml, sizeof yaml, COUNTER("name: new, path: %s, thresholdType: delta"),
			bad[i]);
		check_refused(yaml, lines, 1);
	}
	REFUSED(COUNTER("name: new, thresholdType: delta"),
		"3:14: counter \"new\" is new and needs a path");
	REFUSED(COUNTER("name: new, path: counters/new"),
		"3:14: counter \"new\" is new and needs a thresholdType");
	REFUSED(COUNTER("name: lifespan, path: hw_counters/lifespan, thresholdType: delta"),
		"3:30: \"hw_counters/lifespan\" is not a counter path");
}

static void
descriptions(void)
{
	REFUSED(COUNTER(NEW ", description: \"a; b\""),
		"3:74: a description must not contain \";\"");
	REFUSED(COUNTER(NEW ", description: \"see Recommended Action=NONE\""),
		"3:74: a description must not contain \"Recommended Action=\"");
}

static void
counter_names(void)
{
	REFUSED(COUNTER("enabled: true"), "3:7: the counter has no name");
	REFUSED("counterDetection: {counters: [symbol_error]}\n", "1:31: the counter has no name");
	REFUSED(COUNTER("name: \"\""), "3:14: \"\" is not a valid counter name");
	/* `:` separates the parts of a key in the state file. */
	REFUSED(COUNTER("name: \"a:b\", path: counters/a, thresholdType: delta"),
		"3:14: \"a:b\" is not a valid counter name");
	REFUSED("counterDetection: {counters: {name: a}}\n", "1:30: a list is expected here");
}

#define REFUSED_CODE(code) \
	REFUSED(COUNTER("name: " code ", path: counters/a, thresholdType: delta"), \
		"3:14: \"" code \
		"\" is not allowed as a counter's name: it is the errorCode of other events")

static void
counter_names_that_are_codes(void)
{
	REFUSED_CODE(CODE_PORT_STATE);
	REFUSED_CODE(CODE_PORT_GONE);
	REFUSED_CODE(CODE_NIC_GONE);
	REFUSED_CODE(CODE_NIC_UNREADABLE);
	REFUSED_CODE(CODE_CARD_PORTS);
	REFUSED_CODE(CODE_PLANE_DOWN);
	REFUSED_CODE(CODE_RATE_BELOW_PEERS);
	REFUSED_CODE(CODE_LINK_FLAP);
	REFUSED_CODE(CODE_CHANGED);
	REFUSED_CODE(CODE_SATURATED);
}

static void
numbers_and_flags(void)
{
	REFUSED("homogeneity: {settleSeconds: -1}\n", "1:30: \"-1\" is not a whole number from 0");
	REFUSED("homogeneity: {settleSeconds: 1.5}\n", "1:30: \"1.5\" is not a whole number");
	REFUSED("disappearance: {confirmScans: 0}\n", "1:31: \"0\" is not a whole number from 1");
	REFUSED("disappearance: {driverReloadGrace: 90}\n",
		"1:36: \"90\" is not a duration, such as 90s or 2m");
	REFUSED("disappearance: {driverReloadGrace: -1s}\n",
		"1:36: \"-1s\" is not a duration, such as 90s or 2m");
	REFUSED("disappearance: {driverReloadGrace: 25h}\n",
		"1:36: \"25h\" is longer than 86400 seconds");
	REFUSED("bootGrace: 120\n", "1:12: \"120\" is not a duration, such as 90s or 2m");
	REFUSED("bootGrace: 61m\n", "1:12: \"61m\" is longer than 3600 seconds");
	REFUSED("baseline: {clearCheck: yes}\n", "1:24: \"yes\" is neither true nor false");
	REFUSED("counterDetection: {enabled: 1}\n", "1:29: \"1\" is neither true nor false");
}

static void
all_at_once(void)
{
	REFUSED("bogus: 1\n"
		"nicExclusionRegex: \"(\"\n"
		"counterDetection:\n"
		"  counters:\n"
		"    - {name: symbol_error, threshold: -1, velocityUnit: day}\n"
		"    - {name: nopath, thresholdType: delta}\n"
		"    - {name: symbol_error}\n"
		"fatalCounterCheck: none\n",
		"1:1: unknown key", "2:20: bad expression", "5:39: threshold \"-1\"",
		"5:57: unknown velocityUnit", "6:14: counter \"nopath\" is new and needs a path",
		"7:14: counter \"symbol_error\" is given twice",
		"8:20: unknown fatalCounterCheck \"none\"");
}

static void
missing(void)
{
	struct conf conf;
	diag_init("t");
	check_capture(STDERR_FILENO);
	CHECK_INT(conf_load(&conf, "/no/such/config.yaml"), 66);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_STR(messages, "t: error: /no/such/config.yaml: No such file or directory\n");
	free(messages);
}

static void
unreadable(void)
{
	struct conf conf;
	diag_init("t");
	check_capture(STDERR_FILENO);
	int status = conf_load(&conf, check_dir());
	char *messages = check_captured_new(STDERR_FILENO);
	/* conf.h: EXIT_NO_INPUT is for a file that cannot be opened. A directory can be opened, but
	 * is no configuration. */
	CHECK_INT(status, 78);
	CHECK_HAS(messages, "Is a directory");
	free(messages);
}

static void
malformed(void)
{
	REFUSED("counterDetection: {enabled: true\n", "2:1: ");
	REFUSED("a: b: c\n", "1:5: ");
	REFUSED("- a\n", "1:1: a mapping (key: value) is expected here");
	REFUSED("text\n", "1:1: a mapping (key: value) is expected here");
}

static const struct check_test tests[] = {
	{"an empty file gives the defaults", defaults},
	{"without a file at the default path the defaults apply", no_file},
	{"the specification's example is accepted with the meaning stated there",
		specification_example},
	{"a configuration may be JSON", json_too},
	{"a counter's setting is merged over its default and keeps the other fields", merging},
	{"a counter that is off by default is switched on", switching_on},
	{"a new counter needs only name, path and type", new_counters},
	{"unknown keys are refused at every level", unknown_keys},
	{"a message about an unknown word suggests the likely word and lists the known ones",
		slips},
	{"blanks around a regular expression are not part of it", blanks},
	{"a list of commas and blanks is refused", empty_lists},
	{"a key or a counter that is given twice is refused", duplicates},
	{"a threshold that is negative, NaN, infinite or no number is refused", thresholds},
	{"a key without a value, and a second document, are refused", missing_values},
	{"unknown types, units, patterns and strategies are refused", unknown_words},
	{"the patterns have the names of the specification", known_words},
	{"every pattern can be switched off and given a strategy", every_pattern},
	{"a pattern without a name, or given twice, is refused", patterns_twice},
	{"a bad regular expression, or a value of another type in its place, is refused",
		expressions},
	{"a new counter without a path, with a bad one, or of lifespan is refused", paths},
	{"a description with a semicolon is refused", descriptions},
	{"a counter without a name, or with one that breaks the state file, is refused",
		counter_names},
	{"a counter named like the errorCode of another condition is refused",
		counter_names_that_are_codes},
	{"numbers and booleans are parsed strictly", numbers_and_flags},
	{"all problems of a file are reported at once, each with line and column", all_at_once},
	{"a missing file that was named is reported, exit 66", missing},
	{"an unreadable file is reported, exit 78", unreadable},
	{"malformed YAML is reported, exit 78", malformed},
};
CHECK_MAIN(tests)
