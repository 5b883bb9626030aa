/* Unit tests of confprint: printing a configuration so that it parses back to the same rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "check.h"
#include "diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool
load(const char *name, const char *yaml, struct conf *conf)
{
	char path[200];
	snprintf(path, sizeof path, "%s", check_file(name, yaml));
	diag_init("t");
	check_capture(STDERR_FILENO);
	int status = conf_load(conf, path);
	char *messages = check_captured_new(STDERR_FILENO);
	CHECK_STR(messages, "");
	free(messages);
	return CHECK_INT(status, 0);
}

/* Return the output of conf_print(), to free(). */
static char *
print_new(const struct conf *conf)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	CHECK(out != NULL);
	CHECK_INT(conf_print(conf, out), 0);
	fclose(out);
	CHECK_INT((int64_t)strlen(text), (int64_t)length);
	return text;
}

static void
check_same_counter(const struct counter_def *a, const struct counter_def *b)
{
	CHECK_STR(a->name, b->name);
	CHECK_STR(a->file, b->file);
	CHECK_STR(a->description, b->description);
	CHECK_INT(a->group, b->group);
	CHECK_INT(a->type, b->type);
	/* Compare exactly: the printed threshold must be the same number, not a rounded one. */
	CHECK(a->threshold == b->threshold);
	CHECK_INT(a->fatal, b->fatal);
	CHECK_INT(a->enabled, b->enabled);
	if (a->type == COUNTER_VELOCITY) {
		CHECK_INT(a->unit, b->unit);
		CHECK_INT(a->early_breach, b->early_breach);
	}
}

static void
check_same(const struct conf *a, const struct conf *b)
{
	CHECK_STR(a->exclusion_text, b->exclusion_text);
	CHECK_STR(a->inclusion_text, b->inclusion_text);
	CHECK_STR(a->runbook_url, b->runbook_url);
	CHECK_INT((int64_t)a->exclusion.count, (int64_t)b->exclusion.count);
	CHECK_INT((int64_t)a->inclusion.count, (int64_t)b->inclusion.count);
	CHECK(memcmp(a->acts_on, b->acts_on, sizeof a->acts_on) == 0);
	CHECK_INT(a->counter_detection, b->counter_detection);
	CHECK_INT(a->fatal_counters_as_degradation, b->fatal_counters_as_degradation);
	CHECK_INT(a->settle_seconds, b->settle_seconds);
	CHECK_INT(a->confirm_scans, b->confirm_scans);
	CHECK_INT((int64_t)a->driver_reload_grace_ns, (int64_t)b->driver_reload_grace_ns);
	CHECK_INT((int64_t)a->boot_grace_ns, (int64_t)b->boot_grace_ns);
	CHECK_INT(a->clear_check, b->clear_check);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		CHECK_INT(a->patterns[pattern].enabled, b->patterns[pattern].enabled);
		CHECK_STR(a->patterns[pattern].strategy, b->patterns[pattern].strategy);
	}
	if (!CHECK_INT((int64_t)a->counters.count, (int64_t)b->counters.count))
		return;
	for (size_t i = 0; i < a->counters.count; i++)
		check_same_counter(&a->counters.items[i], &b->counters.items[i]);
}

/* Check that the printed `yaml` gives the same rules and prints the same again. */
static void
check_round(const char *yaml)
{
	struct conf first, second;
	if (!load("first.yaml", yaml, &first))
		return;
	char *once = print_new(&first);
	if (load("second.yaml", once, &second)) {
		char *twice = print_new(&second);
		CHECK_STR(twice, once);
		CHECK(strcmp(twice, once) == 0);
		check_same(&first, &second);
		free(twice);
		conf_fini(&second);
	}
	free(once);
	conf_fini(&first);
}

static void
defaults(void)
{
	check_round("");
}

static void
every_setting(void)
{
	static const char *const rows[] = {
		"vendors: []\n",
		"vendors: [intel]\n",
		"vendors: [broadcom, amd, nvidia]\n",
		"sinks: [journal, file:/a b]\n",
		"interval: 1500ms\n",
		"runbookUrl: 'https://w/{page}.md#{code}'\n",
		("sinks: [{sink: 'grpc:https://a:1', caFile: /ca, certFile: /c, keyFile: /k,"
		 " tokenFile: /t, serverName: s, clearToken: true, minSeverity: fatal,"
		 " onlyCodes: [a, b], onlyRoles: compute}]\n"),
		"counterDetection: {enabled: false}\n",
		"fatalCounterCheck: degradation\n",
		"fatalCounterCheck: state\n",
		"homogeneity: {settleSeconds: 0}\n",
		"homogeneity: {settleSeconds: 86400}\n",
		"disappearance: {confirmScans: 1000}\n",
		"disappearance: {driverReloadGrace: 90s}\n",
		"disappearance: {driverReloadGrace: 1m2s3ms}\n",
		"disappearance: {driverReloadGrace: 1ms1us}\n",
		"disappearance: {driverReloadGrace: 24h}\n",
		"disappearance: {driverReloadGrace: 7ns}\n",
		"bootGrace: 1h\n",
		"bootGrace: 2m\n",
		"baseline: {clearCheck: false}\n",
		"stateCheck: {portStateHoldDown: 1m30s}\n",
		("nicDriverDetection: {patterns: [{name: access_reg_failed, enabled: false},"
		 " {name: netdev_watchdog, processingStrategy: STORE_ONLY},"
		 " {name: temp_warn, processingStrategy: EXECUTE_REMEDIATION}]}\n"),
		"nicExclusionRegex: \"\"\n",
		"nicExclusionRegex: ^a,b$,[0-9]+\nnicInclusionRegexOverride: '^mlx5_(0|1)$'\n",
		("counterDetection: {counters: [{name: link_downed, enabled: false},"
		 " {name: symbol_error, velocityUnit: hour, earlyBreach: true},"
		 " {name: rx_errors, enabled: true, isFatal: true}]}\n"),
		("counterDetection: {counters: [{name: link_downed, thresholdType: velocity,"
		 " velocityUnit: minute, threshold: 3}, {name: symbol_error, thresholdType: "
		 "delta}]}\n"),
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i]);
		check_round(rows[i]);
	}
}

static void
every_path(void)
{
	static const char *const rows[] = {"counters/x", "hw_counters/x", "statistics/x",
		"/sys/class/net/{interface}/x", "/sys/class/net/{interface}/statistics/x",
		"counters/with space", "counters/#x", "counters/a\\\"b", "counters/a\\\\b",
		"counters/a\\nb", "counters/\\u2028", "hw_counters/\xC3\xA4", "counters/x: y",
		"counters/..."};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char yaml[300];
		snprintf(yaml, sizeof yaml,
			"counterDetection: {counters: [{name: new, path: \"%s\", thresholdType: "
			"delta}]}\n",
			rows[i]);
		check_row("%s", rows[i]);
		check_round(yaml);
	}
}

/* As written in a YAML text in double quotes. */
static const char *const odd_texts[] = {
	"",
	" ",
	"  two in front, two behind  ",
	"plain",
	"it's",
	"say \\\"what\\\"",
	"back\\\\slash",
	"ends in one\\\\",
	"\\\\\\\"",
	"\\t\\n\\r",
	"a\\n\\n  b\\n",
	"\\x01\\x02\\x07\\x08\\x0b\\x0c\\x1b\\x1f",
	"\\x7f",
	/* C1 controls, which YAML allows only as escapes, and YAML's own line breaks, which it
	 * would fold. */
	"\\x80\\x85\\x9f",
	"a\\Nb\\Lc\\Pd",
	"\\u0085 \\u2028 \\u2029",
	"\\u00a0",
	"\\ufeff",
	"a\\ufeffb",
	"\\ufffd",
	"\\ufffe\\uffff",
	"\\U0001F600",
	"\\U0010ffff",
	"\\U0001fffe",
	"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80",
	"# no comment",
	"key: value",
	"- item",
	"{a, b}",
	"&a *b !c |d >e %f @g `h",
	"null",
	"~",
	"true",
	"0x10",
	"---",
	"...",
};

static void
odd_descriptions(void)
{
	for (size_t i = 0; i < CHECK_COUNT(odd_texts); i++) {
		char yaml[400];
		snprintf(yaml, sizeof yaml,
			"counterDetection:\n  counters:\n    - name: link_downed\n"
			"      description: \"%s\"\n",
			odd_texts[i]);
		check_row("%s", odd_texts[i]);
		check_round(yaml);
	}
}

static void
odd_expressions(void)
{
	/* The same texts, each inside a character class, where any text is a valid expression. */
	for (size_t i = 0; i < CHECK_COUNT(odd_texts); i++) {
		char yaml[400];
		if (strchr(odd_texts[i], ',') != NULL || strstr(odd_texts[i], "\\\\") != NULL)
			continue;
		snprintf(yaml, sizeof yaml,
			"nicExclusionRegex: \"[%s_]\"\nnicInclusionRegexOverride: \"[%s_]\"\n",
			odd_texts[i], odd_texts[i]);
		check_row("%s", odd_texts[i]);
		check_round(yaml);
	}
}

static void
odd_names(void)
{
	static const char *const rows[] = {"null", "~", "true", "-", "#", "a\\\"b", "\\\\", "'",
		"\\x01", "\\x7f", "\\u0085", "\\u2028", "\\ufeff", "\xC3\xA4", "*", "%", "{}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char yaml[300];
		snprintf(yaml, sizeof yaml,
			"counterDetection: {counters: [{name: \"%s\", path: counters/x, "
			"thresholdType: delta}]}\n",
			rows[i]);
		check_row("%s", rows[i]);
		check_round(yaml);
	}
}

static void
long_text(void)
{
	/* Longer than libyaml's buffers and than a key may be; escaping the quotes doubles it. */
	char *text = check_repeat_new('"', 50000);
	text = check_replaced_new(text, "\"", "\\\"");
	char *yaml;
	CHECK(asprintf(&yaml,
		      "counterDetection: {counters: [{name: link_downed, description: \"%s\"}]}\n",
		      text) > 0);
	check_round(yaml);
	free(yaml);
	free(text);
}

static void
thresholds(void)
{
	static const struct {
		const char *given, *printed;
	} rows[] = {
		{"0", "0"},
		{"0.0", "0"},
		{"120.0", "120"},
		{"0.1", "0.1"},
		{".5", "0.5"},
		{"10000", "10000"},
		{"123456789", "123456789"},
		{"1e300", "1e+300"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"5e-324", "4.94066e-324"},
		{"0.30000000000000004", "0.30000000000000004"},
		{"0.3", "0.3"},
		{"3.141592653589793", "3.141592653589793"},
		{"18446744073709551615", "1.8446744073709552e+19"},
		{"9007199254740993", "9007199254740992"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char yaml[200], line[100];
		struct conf conf;
		snprintf(yaml, sizeof yaml,
			"counterDetection: {counters: [{name: link_downed, threshold: %s}]}\n",
			rows[i].given);
		check_row("%s", rows[i].given);
		check_round(yaml);
		if (!load("c.yaml", yaml, &conf))
			continue;
		char *text = print_new(&conf);
		snprintf(line, sizeof line, "      threshold: %s\n", rows[i].printed);
		/* link_downed is the first counter. */
		const char *first = strstr(text, "      threshold: ");
		CHECK(first != NULL && strncmp(first, line, strlen(line)) == 0);
		free(text);
		conf_fini(&conf);
	}
}

static void
first_lines(void)
{
	struct conf conf;
	static const char expected[] =
		"nicExclusionRegex: \"^veth.*,^docker.*,^br-.*,^lo$\"\n"
		"nicInclusionRegexOverride: \"\"\n"
		"vendors: [nvidia, amazon]\n"
		"bootGrace: 0s\n"
		"counterDetection:\n"
		"  enabled: true\n"
		"  counters:\n"
		"    - name: \"link_downed\"\n"
		"      path: \"counters/link_downed\"\n"
		"      enabled: true\n"
		"      isFatal: true\n"
		"      thresholdType: delta\n"
		"      threshold: 0\n"
		"      description: \"Port Training State Machine failed - QP disconnect\"\n";
	static const char patterns[] = "nicDriverDetection:\n"
				       "  patterns:\n"
				       "    - name: \"cmd_exec_timeout\"\n"
				       "      enabled: true\n"
				       "    - name: \"health_poll_failed\"\n";
	static const char extended[] = "    - name: \"fw_init_timeout\"\n"
				       "      enabled: true\n"
				       "      processingStrategy: STORE_ONLY\n";
	static const char end[] = "fatalCounterCheck: state\n"
				  "homogeneity:\n"
				  "  settleSeconds: 30\n"
				  "disappearance:\n"
				  "  confirmScans: 3\n"
				  "  driverReloadGrace: 0s\n"
				  "baseline:\n"
				  "  clearCheck: true\n"
				  "charDeviceCheck:\n"
				  "  issm: never\n"
				  "stateCheck:\n"
				  "  portStateHoldDown: 0s\n";
	if (!load("c.yaml", "", &conf))
		return;
	char *text = print_new(&conf);
	CHECK(strncmp(text, expected, strlen(expected)) == 0);
	CHECK_HAS(text, patterns);
	CHECK_HAS(text, extended);
	CHECK(strlen(text) > strlen(end));
	CHECK_STR(text + strlen(text) - strlen(end), end);
	free(text);
	conf_fini(&conf);
}

static void
full_disk(void)
{
	struct conf conf;
	if (!load("c.yaml", "", &conf))
		return;
	FILE *out = fopen("/dev/full", "we");
	if (CHECK(out != NULL)) {
		errno = 0;
		CHECK_INT(conf_print(&conf, out), -1);
		CHECK_INT(errno, ENOSPC);
		fclose(out);
	}
	conf_fini(&conf);
}

static const struct check_test tests[] = {
	{"the printed defaults parse to the defaults and print the same", defaults},
	{"every changed setting is printed and parses back to the same", every_setting},
	{"every form of a path and every odd file name parses back to the same", every_path},
	{"every odd description parses back to the same", odd_descriptions},
	{"every odd expression parses back to the same", odd_expressions},
	{"every odd name of a counter parses back to the same", odd_names},
	{"a text longer than the parser's buffers parses back to the same", long_text},
	{"a threshold is printed in six digits, or in as many as its exact value needs",
		thresholds},
	{"the printed configuration is written as a person would write it", first_lines},
	{"a full disk is a failure with ENOSPC", full_disk},
};
CHECK_MAIN(tests)
