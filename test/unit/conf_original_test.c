/* Unit tests of conf: configurations of NVSentinel's original monitor, in TOML and YAML. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"

#include "check.h"
#include "confload.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

static void
check_refused(const char *yaml, const char *message)
{
	struct conf conf;
	int status;
	char *messages = load_new(yaml, &conf, &status);
	check_row("%s", yaml);
	CHECK_INT(status, 78);
	CHECK_STR(messages, message);
	free(messages);
}

/* The default output of the original's Helm chart, shortened. */
static const char chart[] =
	"nicExclusionRegex: \"^veth.*,^docker.*,^br-.*,^lo$\"\n"
	"nicInclusionRegexOverride: \"\"\n"
	"sysClassNetPath: \"/nvsentinel/sys/class/net\"\n"
	"sysClassInfinibandPath: \"/nvsentinel/sys/class/infiniband\"\n"
	"charDeviceCheck:\n"
	"  issm: never\n"
	"counterDetection:\n"
	"  enabled: true\n"
	"  counters:\n"
	"    - {name: link_downed, enabled: true, thresholdType: delta, threshold: 0}\n"
	"    - {name: symbol_error, enabled: true, thresholdType: velocity, threshold: 10.0, "
	"velocityUnit: second}\n"
	"    - {name: carrier_changes, enabled: true, thresholdType: delta, threshold: 2}\n"
	"    - {name: port_rcv_discards, enabled: true, thresholdType: velocity, threshold: 1, "
	"velocityUnit: second}\n"
	"    - {name: efa_no_completion_cmds, enabled: true, thresholdType: delta, threshold: 0}\n"
	"    - {name: efa_cmds_err, enabled: false, thresholdType: velocity, threshold: 10.0, "
	"velocityUnit: minute}\n"
	"    - {name: efa_rx_drops, thresholdType: velocity, threshold: 100.0, velocityUnit: "
	"second}\n";

#define ROW(name, enabled, type, threshold, unit) \
	"\n[[counterDetection.counters]]\n" \
	"name = \"" name "\"\n" \
	"enabled = " enabled "\n" \
	"thresholdType = \"" type "\"\n" \
	"threshold = " threshold "\n" unit
#define SECOND "velocityUnit = \"second\"\n"
#define MINUTE "velocityUnit = \"minute\"\n"

/* The same in the ConfigMap. */
/* clang-format off */
static const char chart_toml[] =
	"nicExclusionRegex = \"^veth.*,^docker.*,^br-.*,^lo$\"\n"
	"nicInclusionRegexOverride = \"\"\n"
	"sysClassNetPath = \"/nvsentinel/sys/class/net\"\n"
	"sysClassInfinibandPath = \"/nvsentinel/sys/class/infiniband\"\n"
	"\n"
	"[charDeviceCheck]\n"
	"issm = \"never\"\n"
	"\n"
	"[counterDetection]\n"
	"enabled = true\n"
	ROW("link_downed", "true", "delta", "0", "")
	ROW("symbol_error", "true", "velocity", "10", SECOND)
	ROW("carrier_changes", "true", "delta", "2.0", "")
	ROW("port_rcv_discards", "true", "velocity", "1", SECOND)
	ROW("efa_no_completion_cmds", "true", "delta", "0", "")
	ROW("efa_cmds_err", "false", "velocity", "10.0", MINUTE)
	ROW("efa_rx_drops", "true", "velocity", "100.0", SECOND);
/* clang-format on */

/* Return the names of the enabled counters, separated by commas. */
static const char *
list_enabled(const struct conf *conf)
{
	static char text[2000];
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < conf->counters.count; i++) {
		const struct counter_def *def = &conf->counters.items[i];
		if (def->enabled)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
				used > 0 ? ", " : "", def->name);
	}
	return text;
}

static void
whole(const char *name, const char *text, const char *enabled)
{
	struct conf conf;
	check_row("%s", name);
	if (!load_named(name, text, &conf))
		return;
	const struct counter_def *symbol = counter_list_find(&conf.counters, "symbol_error");
	if (CHECK(symbol != NULL)) {
		CHECK_INT(symbol->type, COUNTER_VELOCITY);
		CHECK_INT(symbol->unit, COUNTER_PER_SECOND);
		CHECK_NEAR(symbol->threshold, 10);
	}
	CHECK_STR(conf.sysfs_root, "/nvsentinel/sys");
	CHECK_STR(list_enabled(&conf), enabled);
	conf_fini(&conf);
}

static void
both(void)
{
	whole("config.yaml", chart,
		"link_downed, excessive_buffer_overrun_errors, local_link_integrity_errors, "
		"rnr_nak_retry_err, symbol_error_fatal, symbol_error, link_error_recovery, "
		"port_rcv_errors, out_of_sequence, local_ack_timeout_err, port_xmit_discards, "
		"port_xmit_wait, roce_slow_restart, carrier_changes, efa_no_completion_cmds, "
		"efa_rx_drops, efa_retrans_timeout_events, efa_unresponsive_remote_events, "
		"efa_impaired_remote_conn_events, bnxt_oos_drop_count, bnxt_out_of_sequence, "
		"bnxt_to_retransmits, bnxt_local_ack_timeout_err, ionic_out_of_sequence, "
		"ionic_ack_timeout, irdma_out_of_order, irdma_rto, port_rcv_discards");
	whole("config.toml", chart_toml,
		"link_downed, symbol_error, carrier_changes, efa_no_completion_cmds, efa_rx_drops, "
		"port_rcv_discards");
}

static void
whole_lists(void)
{
	static const struct {
		const char *toml, *enabled; /* NULL: the defaults */
	} rows[] = {
		{"", NULL},
		{"[counterDetection]\nenabled = false\n", NULL},
		{"[counterDetection]\ncounters = []\n", ""},
		{"counterDetection.counters = [{name = \"link_downed\", enabled = false}]\n", ""},
		/* A counter that is off by default, and a new one. */
		{"counterDetection.counters = [{name = \"rx_errors\", threshold = 1}]\n",
			"rx_errors"},
		{"counterDetection.counters = [{name = \"mine\", path = \"counters/mine\", "
		 "thresholdType = \"delta\"}, {name = \"link_downed\"}]\n",
			"link_downed, mine"},
	};
	struct conf conf;
	char defaults[2000];

	if (!load("", &conf))
		return;
	snprintf(defaults, sizeof defaults, "%s", list_enabled(&conf));
	conf_fini(&conf);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].toml);
		if (!load_named("config.toml", rows[i].toml, &conf))
			continue;
		CHECK_STR(
			list_enabled(&conf), rows[i].enabled != NULL ? rows[i].enabled : defaults);
		conf_fini(&conf);
	}
}

/* Each counter name that the original allows. */
static void
counters(void)
{
	static const char *const names[] = {"excessive_buffer_overrun_errors", "link_downed",
		"link_error_recovery", "local_link_integrity_errors", "port_rcv_discards",
		"port_rcv_errors", "port_rcv_remote_physical_errors",
		"port_rcv_switch_relay_errors", "port_xmit_discards", "port_xmit_wait",
		"symbol_error", "symbol_error_fatal", "implied_nak_seq_err",
		"local_ack_timeout_err", "out_of_sequence", "packet_seq_err",
		"req_transport_retries_exceeded", "rnr_nak_retry_err", "roce_slow_restart",
		"efa_rx_drops", "efa_rdma_read_wr_err", "efa_rdma_write_wr_err",
		"efa_retrans_timeout_events", "efa_unresponsive_remote_events",
		"efa_impaired_remote_conn_events", "efa_no_completion_cmds", "efa_cmds_err",
		"efa_keep_alive_rcvd", "efa_reg_mr_err", "efa_create_qp_err", "efa_create_cq_err",
		"efa_create_ah_err", "carrier_changes", "rx_crc_errors", "rx_errors",
		"rx_missed_errors", "tx_carrier_errors", "tx_errors"};
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		char yaml[300];
		struct conf conf;
		snprintf(yaml, sizeof yaml,
			"counterDetection: {counters: [{name: %s, enabled: true, thresholdType: "
			"velocity, threshold: 3, velocityUnit: minute}]}\n",
			names[i]);
		check_row("%s", names[i]);
		if (!load(yaml, &conf))
			continue;
		const struct counter_def *def = counter_list_find(&conf.counters, names[i]);
		if (CHECK(def != NULL)) {
			CHECK(def->enabled);
			CHECK_INT(def->unit, COUNTER_PER_MINUTE);
			CHECK_NEAR(def->threshold, 3);
		}
		conf_fini(&conf);
	}
}

static void
class_paths(void)
{
	static const struct {
		const char *yaml, *root;
	} rows[] = {
		{"{}", NULL},
		{"sysClassNetPath: /sys/class/net", "/sys"},
		{"sysClassInfinibandPath: /a/b/class/infiniband/", "/a/b"},
		{"sysClassInfinibandPath: /a/class/class/infiniband\nsysClassNetPath: "
		 "/a/class/class/net",
			"/a/class"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct conf conf;
		check_row("%s", rows[i].yaml);
		if (!load(rows[i].yaml, &conf))
			continue;
		CHECK_STR(conf.sysfs_root, rows[i].root);
		conf_fini(&conf);
	}
#define NET "an absolute path SYSFS/class/net, such as /nvsentinel/sys/class/net\n"
	check_refused("sysClassNetPath: \"\"\n", "t: error: FILE:1:18: \"\" is not " NET);
	check_refused(
		"sysClassNetPath: /class/net\n", "t: error: FILE:1:18: \"/class/net\" is not " NET);
	check_refused("sysClassNetPath: sys/class/net\n",
		"t: error: FILE:1:18: \"sys/class/net\" is not " NET);
	check_refused("sysClassNetPath: /sys/class/nets\n",
		"t: error: FILE:1:18: \"/sys/class/nets\" is not " NET);
	check_refused("sysClassNetPath: /sys/class/infiniband\n",
		"t: error: FILE:1:18: \"/sys/class/infiniband\" is not " NET);
	check_refused("sysClassNetPath: /sysclass/net\n",
		"t: error: FILE:1:18: \"/sysclass/net\" is not " NET);
	check_refused("sysClassInfinibandPath: /nvsentinel/sys/class/infiniband\nsysClassNetPath: "
		      "/sys/class/net\n",
		"t: error: FILE:2:18: \"/sys/class/net\" is not below /nvsentinel/sys, the sysfs "
		"root of the other class\n");
}

static void
issm(void)
{
	static const struct {
		const char *text;
		bool always;
	} rows[] = {
		{"charDeviceCheck:\n", false},
		{"charDeviceCheck: {issm: never}\n", false},
		{"charDeviceCheck: {issm: \"\"}\n", false},
		{"charDeviceCheck: {issm: always}\n", true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct conf conf;
		check_row("%s", rows[i].text);
		if (!load(rows[i].text, &conf))
			continue;
		CHECK_INT(conf.issm_always, rows[i].always);
		conf_fini(&conf);
	}
	check_refused("charDeviceCheck: {issm: auto}\n",
		"t: error: FILE:1:25: unknown charDeviceCheck.issm \"auto\"; known: never, "
		"always\n");
	check_refused("charDeviceCheck: {issm: Always}\n",
		"t: error: FILE:1:25: unknown charDeviceCheck.issm \"Always\" (did you mean "
		"\"always\"?); known: never, always\n");
	check_refused("charDeviceCheck: {umad: never}\n",
		"t: error: FILE:1:19: unknown key \"umad\"; known: issm\n");
}

static void
hold_down(void)
{
	static const struct {
		const char *text;
		uint64_t ns;
	} rows[] = {
		{"\"\"", 0},
		{"\"0s\"", 0},
		{"\"1ns\"", 1},
		{"\"10s\"", 10 * NUM_NS_PER_S},
		{"\"1m30s\"", 90 * NUM_NS_PER_S},
		{"\"48h\"", 172800 * NUM_NS_PER_S},
	};
	static const char *const refused[] = {"15", "soon", "-5s", "10 s", "999999999h"};
	char text[100], error[200];
	struct conf conf;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		snprintf(text, sizeof text, "[stateCheck]\nportStateHoldDown = %s\n", rows[i].text);
		if (load_named("config.toml", text, &conf)) {
			CHECK_U64(conf.port_hold_down_ns, rows[i].ns);
			conf_fini(&conf);
		}
	}
	for (size_t i = 0; i < CHECK_COUNT(refused); i++) {
		snprintf(text, sizeof text, "stateCheck: {portStateHoldDown: %s}\n", refused[i]);
		snprintf(error, sizeof error,
			"t: error: FILE:1:33: portStateHoldDown: \"%s\" is not a duration, such as "
			"90s or 2m\n",
			refused[i]);
		check_refused(text, error);
	}
}

static void
printed(void)
{
	struct conf conf;
	char *text = NULL;
	size_t length = 0;
	if (!load("sysClassNetPath: /a\\\"b/class/net", &conf))
		return;
	FILE *out = open_memstream(&text, &length);
	CHECK_INT(conf_print(&conf, out), 0);
	fclose(out);
	CHECK_HAS(text, "\nsysClassInfinibandPath: \"/a\\\\\\\"b/class/infiniband\"\n"
			"sysClassNetPath: \"/a\\\\\\\"b/class/net\"\n");
	conf_fini(&conf);
	if (load(text, &conf)) {
		CHECK_STR(conf.sysfs_root, "/a\\\"b");
		conf_fini(&conf);
	}
	free(text);
}

static const struct check_test tests[] = {
	{"the output of the original's chart is accepted unchanged, in TOML and in YAML", both},
	{"a list of counters in TOML replaces the default list", whole_lists},
	{"each counter of the original is known", counters},
	{"the two class paths must share one root", class_paths},
	{"issm is never or always, and never when it is empty", issm},
	{"portStateHoldDown is a duration, and off when it is empty", hold_down},
	{"a root is printed in a form that reads back the same", printed},
};
CHECK_MAIN(tests)
