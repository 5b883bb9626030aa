/* Unit tests of metricname: the metric's name of a counter. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "metricname.h"

#include "check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct row {
	enum counter_group group;
	const char *file, *name;
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char name[METRICNAME_SIZE];
		check_row("%s", rows[i].file);
		metricname_format(rows[i].group, rows[i].file, 0, name);
		CHECK_STR(name, rows[i].name);
	}
}

static void
as_sysfs_has_it(void)
{
	static const struct row rows[] = {
		{COUNTER_PORT, "link_downed", "nic_port_link_downed_total"},
		{COUNTER_PORT, "port_rcv_data", "nic_port_rcv_data_total"},
		{COUNTER_HW, "out_of_sequence", "nic_port_out_of_sequence_total"},
		{COUNTER_STATISTICS, "rx_bytes", "nic_port_rx_bytes_total"},
		{COUNTER_INTERFACE, "carrier_changes", "nic_port_carrier_changes_total"},
		{COUNTER_INTERFACE, "carrier_up_count", "nic_port_carrier_up_count_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
snake_case(void)
{
	static const struct row rows[] = {
		{COUNTER_PORT, "VL15_dropped", "nic_port_vl15_dropped_total"},
		{COUNTER_HW, "ip4InOctets", "nic_port_ip4_in_octets_total"},
		{COUNTER_HW, "iwInRdmaReads", "nic_port_iw_in_rdma_reads_total"},
		{COUNTER_HW, "RxECNMrkd", "nic_port_rx_ecn_mrkd_total"},
		{COUNTER_HW, "RNR_ERR", "nic_port_rnr_err_total"},
		{COUNTER_HW, "Nak Sequence Error", "nic_port_nak_sequence_error_total"},
		{COUNTER_HW, "PD_alloc", "nic_port_pd_alloc_total"},
		{COUNTER_HW, "x-y..z", "nic_port_x_y_z_total"},
		{COUNTER_HW, "_odd_", "nic_port_odd_total"},
		{COUNTER_HW, "9lives", "nic_port_9lives_total"},
		{COUNTER_HW, "r\xC3\xA4tsel", "nic_port_r_tsel_total"},
		{COUNTER_HW, "\xE2\x82\xAC", "nic_port_unnamed_total"},
		{COUNTER_HW, "", "nic_port_unnamed_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
total_once(void)
{
	static const struct row rows[] = {
		{COUNTER_HW, "drops_total", "nic_port_drops_total"},
		{COUNTER_HW, "total", "nic_port_total_total"},
		{COUNTER_HW, "total_drops", "nic_port_total_drops_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
port_once(void)
{
	static const struct row rows[] = {
		{COUNTER_PORT, "port_rcv_errors", "nic_port_rcv_errors_total"},
		{COUNTER_PORT, "port_rcv_remote_physical_errors",
			"nic_port_rcv_remote_physical_errors_total"},
		{COUNTER_HW, "portDrops", "nic_port_drops_total"},
		{COUNTER_HW, "Port-port_x", "nic_port_x_total"},
		{COUNTER_HW, "ports_seen", "nic_port_ports_seen_total"},
		{COUNTER_HW, "rx_port_drops", "nic_port_rx_port_drops_total"},
		{COUNTER_HW, "port_ms", "nic_port_hwms_total"},
		{COUNTER_HW, "port", "nic_port_hw_port_total"},
		{COUNTER_HW, "port_port", "nic_port_hw_port_total"},
		{COUNTER_HW, "port_total", "nic_port_hw_port_total"},
		/* A port's own counter keeps the short name, whatever a file of another group is
		 * called. */
		{COUNTER_HW, "port_rcv_errors", "nic_port_hw_rcv_errors_total"},
		{COUNTER_HW, "rcv_errors", "nic_port_hw_rcv_errors_total"},
		{COUNTER_INTERFACE, "rcv_errors", "nic_port_net_rcv_errors_total"},
		{COUNTER_HW, "port_rx_bytes", "nic_port_hw_rx_bytes_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
another_groups_name(void)
{
	static const struct row rows[] = {
		{COUNTER_DEVICE_HW, "cmds_err", "nic_port_cmds_err_total"},
		{COUNTER_DEVICE_HW, "rx_bytes", "nic_port_device_rx_bytes_total"},
		{COUNTER_HW, "rx_bytes", "nic_port_hw_rx_bytes_total"},
		{COUNTER_HW, "RxBytes", "nic_port_hw_rx_bytes_total"},
		{COUNTER_HW, "link_downed", "nic_port_hw_link_downed_total"},
		{COUNTER_STATISTICS, "symbol_error", "nic_port_net_symbol_error_total"},
		{COUNTER_INTERFACE, "port_xmit_wait", "nic_port_net_xmit_wait_total"},
		{COUNTER_PORT, "multicast", "nic_port_counters_multicast_total"},
		{COUNTER_PORT, "VL15_dropped", "nic_port_vl15_dropped_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
refused_words(void)
{
	static const struct row rows[] = {
		{COUNTER_HW, "timeout_ms", "nic_port_timeoutms_total"},
		{COUNTER_HW, "pause_s_b_x", "nic_port_pausesb_x_total"},
		{COUNTER_HW, "ms_waited", "nic_port_hwms_waited_total"},
		{COUNTER_HW, "ms", "nic_port_hwms_total"},
		{COUNTER_PORT, "k_b", "nic_port_counterskb_total"},
		{COUNTER_STATISTICS, "rx_bits", "nic_port_rxbits_total"},
		{COUNTER_HW, "cpu_milliseconds", "nic_port_cpumilliseconds_total"},
		{COUNTER_HW, "cpu_seconds", "nic_port_cpu_seconds_total"},
		{COUNTER_HW, "hw_counter_1", "nic_port_hwcounter_1_total"},
		{COUNTER_HW, "sum", "nic_port_sum_total"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static bool
is_valid(const char *name)
{
	for (const char *at = name; *at != '\0'; at++) {
		if (*at != '_' && !isdigit((unsigned char)*at) && !islower((unsigned char)*at))
			return false;
	}
	size_t length = strlen(name);
	return length < METRICNAME_SIZE && strncmp(name, "nic_port_", 9) == 0 &&
	       strcmp(name + length - 6, "_total") == 0 && strstr(name, "__") == NULL &&
	       strstr(name, "_port_port_") == NULL;
}

static void
any_name(void)
{
	for (int byte = 1; byte < 256; byte++) {
		for (size_t length = 0; length < 400; length += 7) {
			char name[METRICNAME_SIZE];
			char *file = check_repeat_new((char)byte, length);
			for (size_t i = 1; i < length; i += 2)
				file[i] = 'Z';
			check_row("byte %d, length %zu", byte, length);
			for (unsigned attempt = 0; attempt < 4; attempt++) {
				metricname_format(COUNTER_HW, file, attempt, name);
				CHECK(is_valid(name));
			}
			free(file);
		}
	}
}

static void
attempts_differ(void)
{
	char names[4][METRICNAME_SIZE], other[METRICNAME_SIZE];
	for (unsigned i = 0; i < 4; i++) {
		metricname_format(COUNTER_HW, "x-y", i, names[i]);
		for (unsigned k = 0; k < i; k++)
			CHECK(strcmp(names[i], names[k]) != 0);
	}
	CHECK_STR(names[0], "nic_port_x_y_total");
	CHECK_STR(names[1], "nic_port_hw_x_y_total");
	CHECK_HAS(names[2], "nic_port_hw_x_y_x");
	/* The same for files whose names differ only in replaced characters. */
	static const char *const alike[] = {"x.y", "port_x_y"};
	for (size_t i = 0; i < CHECK_COUNT(alike); i++) {
		metricname_format(COUNTER_HW, alike[i], 0, other);
		CHECK_STR(other, names[0]);
		metricname_format(COUNTER_HW, alike[i], 2, other);
		CHECK(strcmp(other, names[2]) != 0);
	}
}

static const struct check_test tests[] = {
	{"a counter's metric is named after its file in sysfs", as_sysfs_has_it},
	{"a metric's name is snake_case, whatever the file's name", snake_case},
	{"_total is appended once", total_once},
	{"a metric's name contains \"port\" only once", port_once},
	{"a name that another group uses has its own group in front", another_groups_name},
	{"words that promtool rejects are joined to the word before", refused_words},
	{"any file name gives a valid metric name", any_name},
	{"a name that is taken gets distinct alternatives", attempts_differ},
};

CHECK_MAIN(tests)
