/* Unit tests of counters: the built-in counter table and the forms of a path. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "check.h"

#include <stdio.h>

#define SEC COUNTER_PER_SECOND
#define MIN COUNTER_PER_MINUTE
#define HOUR COUNTER_PER_HOUR

struct expected {
	const char *name;
	enum counter_group group;
	const char *file;
	enum counter_type type;
	double threshold;
	enum counter_unit unit;
	bool fatal;
	const char *description; /* NULL: the specification leaves it open */
};

/* spec#counter-table, the enabled counters, in its order. */
static const struct expected on[] = {
	{"link_downed", COUNTER_PORT, "link_downed", COUNTER_DELTA, 0, SEC, true,
		"Port Training State Machine failed - QP disconnect"},
	{"excessive_buffer_overrun_errors", COUNTER_PORT, "excessive_buffer_overrun_errors",
		COUNTER_DELTA, 0, SEC, true,
		"HCA internal buffer overflow - lossless contract violated"},
	{"local_link_integrity_errors", COUNTER_PORT, "local_link_integrity_errors", COUNTER_DELTA,
		0, SEC, true, "Physical errors exceed LocalPhyErrors hardware cap"},
	{"rnr_nak_retry_err", COUNTER_HW, "rnr_nak_retry_err", COUNTER_DELTA, 0, SEC, true,
		"Receiver Not Ready NAK retry exhausted - connection severed"},
	{"symbol_error_fatal", COUNTER_PORT, "symbol_error", COUNTER_VELOCITY, 120, HOUR, true,
		"Symbol errors exceed IBTA BER threshold (10E-12) - link outside spec"},
	{"symbol_error", COUNTER_PORT, "symbol_error", COUNTER_VELOCITY, 10, SEC, false,
		"PHY bit errors before FEC - physical layer degradation"},
	{"link_error_recovery", COUNTER_PORT, "link_error_recovery", COUNTER_VELOCITY, 5, MIN,
		false, "Link retraining events - micro-flapping"},
	{"port_rcv_errors", COUNTER_PORT, "port_rcv_errors", COUNTER_VELOCITY, 10, SEC, false,
		"Malformed packets received"},
	{"out_of_sequence", COUNTER_HW, "out_of_sequence", COUNTER_VELOCITY, 100, SEC, false,
		"Fabric routing issues - out of sequence packets"},
	{"local_ack_timeout_err", COUNTER_HW, "local_ack_timeout_err", COUNTER_VELOCITY, 1, SEC,
		false, "ACK timeout - potential fabric black hole"},
	{"port_xmit_discards", COUNTER_PORT, "port_xmit_discards", COUNTER_VELOCITY, 100, SEC,
		false, "TX discards due to congestion"},
	{"port_xmit_wait", COUNTER_PORT, "port_xmit_wait", COUNTER_VELOCITY, 10000, SEC, false,
		"TX wait ticks - congestion backpressure"},
	{"roce_slow_restart", COUNTER_HW, "roce_slow_restart", COUNTER_VELOCITY, 10, SEC, false,
		"Victim flow oscillation"},
	{"carrier_changes", COUNTER_INTERFACE, "carrier_changes", COUNTER_DELTA, 2, SEC, false,
		"Link instability - carrier state changes"},
	{"efa_no_completion_cmds", COUNTER_DEVICE_HW, "no_completion_cmds", COUNTER_DELTA, 0, SEC,
		true, "EFA admin command never completed - device firmware unresponsive"},
	{"efa_cmds_err", COUNTER_DEVICE_HW, "cmds_err", COUNTER_VELOCITY, 10, MIN, false,
		"EFA admin commands failed - control plane errors"},
	{"efa_rx_drops", COUNTER_HW, "rx_drops", COUNTER_VELOCITY, 100, SEC, false,
		"EFA RX packets dropped by the adapter - fabric congestion or receive pressure"},
	{"efa_retrans_timeout_events", COUNTER_HW, "retrans_timeout_events", COUNTER_VELOCITY, 1,
		SEC, false,
		"EFA SRD retransmit timeouts that caused a network path change - path "
		"instability"},
	{"efa_unresponsive_remote_events", COUNTER_HW, "unresponsive_remote_events",
		COUNTER_VELOCITY, 1, SEC, false,
		"EFA remote peer unresponsive - potential fabric black hole"},
	{"efa_impaired_remote_conn_events", COUNTER_HW, "impaired_remote_conn_events",
		COUNTER_VELOCITY, 1, SEC, false,
		"EFA connection to remote peer impaired - reduced throughput from packet loss"},
	{"bnxt_oos_drop_count", COUNTER_HW, "oos_drop_count", COUNTER_VELOCITY, 100, SEC, false,
		"Fabric routing issues - out of sequence packets"},
	{"bnxt_out_of_sequence", COUNTER_HW, "out_of_sequence", COUNTER_VELOCITY, 100, SEC, false,
		"Fabric routing issues - out of sequence packets"},
	{"bnxt_to_retransmits", COUNTER_HW, "to_retransmits", COUNTER_VELOCITY, 1, SEC, false,
		"ACK timeout - potential fabric black hole"},
	{"bnxt_local_ack_timeout_err", COUNTER_HW, "local_ack_timeout_err", COUNTER_VELOCITY, 1,
		SEC, false, "ACK timeout - potential fabric black hole"},
	{"ionic_out_of_sequence", COUNTER_HW, "resp_rx_outouf_seq", COUNTER_VELOCITY, 100, SEC,
		false, "Fabric routing issues - out of sequence packets"},
	{"ionic_ack_timeout", COUNTER_HW, "tx_rdma_ack_timeout", COUNTER_VELOCITY, 1, SEC, false,
		"ACK timeout - potential fabric black hole"},
	{"irdma_out_of_order", COUNTER_HW, "Rcvd Out of order packets", COUNTER_VELOCITY, 100, SEC,
		false, "Fabric routing issues - out of sequence packets"},
	{"irdma_rto", COUNTER_HW, "RTO", COUNTER_VELOCITY, 1, SEC, false,
		"ACK timeout - potential fabric black hole"},
};

/* spec#counter-table, the known but disabled counters. */
static const struct expected off[] = {
	{"req_transport_retries_exceeded", COUNTER_HW, "req_transport_retries_exceeded",
		COUNTER_DELTA, 0, SEC, true, NULL},
	{"req_rnr_retries_exceeded", COUNTER_HW, "req_rnr_retries_exceeded", COUNTER_DELTA, 0, SEC,
		true, NULL},
	{"packet_seq_err", COUNTER_HW, "packet_seq_err", COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"implied_nak_seq_err", COUNTER_HW, "implied_nak_seq_err", COUNTER_VELOCITY, 10, SEC, false,
		NULL},
	{"port_rcv_remote_physical_errors", COUNTER_PORT, "port_rcv_remote_physical_errors",
		COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"port_rcv_switch_relay_errors", COUNTER_PORT, "port_rcv_switch_relay_errors",
		COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"port_rcv_discards", COUNTER_PORT, "port_rcv_discards", COUNTER_VELOCITY, 100, SEC, false,
		NULL},
	{"rx_crc_errors", COUNTER_STATISTICS, "rx_crc_errors", COUNTER_VELOCITY, 10, SEC, false,
		NULL},
	{"rx_errors", COUNTER_STATISTICS, "rx_errors", COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"rx_missed_errors", COUNTER_STATISTICS, "rx_missed_errors", COUNTER_VELOCITY, 10, SEC,
		false, NULL},
	{"tx_errors", COUNTER_STATISTICS, "tx_errors", COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"tx_carrier_errors", COUNTER_STATISTICS, "tx_carrier_errors", COUNTER_VELOCITY, 10, SEC,
		false, NULL},
	{"efa_rdma_read_wr_err", COUNTER_HW, "rdma_read_wr_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA RDMA read work requests completed with error"},
	{"efa_rdma_write_wr_err", COUNTER_HW, "rdma_write_wr_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA RDMA write work requests completed with error"},
	{"efa_keep_alive_rcvd", COUNTER_DEVICE_HW, "keep_alive_rcvd", COUNTER_VELOCITY, 10, SEC,
		false, "EFA keep-alive events received from the device"},
	{"efa_reg_mr_err", COUNTER_DEVICE_HW, "reg_mr_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA memory region registration failures"},
	{"efa_create_qp_err", COUNTER_DEVICE_HW, "create_qp_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA queue pair creation failures"},
	{"efa_create_cq_err", COUNTER_DEVICE_HW, "create_cq_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA completion queue creation failures"},
	{"efa_create_ah_err", COUNTER_DEVICE_HW, "create_ah_err", COUNTER_VELOCITY, 10, SEC, false,
		"EFA address handle creation failures"},
	{"bnxt_max_retry_exceeded", COUNTER_HW, "max_retry_exceeded", COUNTER_DELTA, 0, SEC, true,
		"Transport retries exhausted - connection severed"},
	{"bnxt_seq_err_naks_rcvd", COUNTER_HW, "seq_err_naks_rcvd", COUNTER_VELOCITY, 10, SEC,
		false, NULL},
	{"bnxt_packet_seq_err", COUNTER_HW, "packet_seq_err", COUNTER_VELOCITY, 10, SEC, false,
		NULL},
	{"bnxt_missing_resp", COUNTER_HW, "missing_resp", COUNTER_VELOCITY, 10, SEC, false, NULL},
	{"bnxt_implied_nak_seq_err", COUNTER_HW, "implied_nak_seq_err", COUNTER_VELOCITY, 10, SEC,
		false, NULL},
	{"ionic_retry_exceeded", COUNTER_HW, "req_tx_retry_excd_err", COUNTER_DELTA, 0, SEC, true,
		"Transport retries exhausted - connection severed"},
	{"ionic_packet_seq_err", COUNTER_HW, "req_rx_pkt_seq_err", COUNTER_VELOCITY, 10, SEC, false,
		NULL},
	{"ionic_implied_nak_seq_err", COUNTER_HW, "req_rx_impl_nak_seq_err", COUNTER_VELOCITY, 10,
		SEC, false, NULL},
	{"irdma_nak_seq_err", COUNTER_HW, "Nak Sequence Error", COUNTER_VELOCITY, 10, SEC, false,
		NULL},
	{"irdma_implied_nak_seq_err", COUNTER_HW, "Nak Sequence Error Implied", COUNTER_VELOCITY,
		10, SEC, false, NULL},
};

static void
check_rows(const struct expected *rows, size_t count, bool enabled)
{
	struct counter_list list;
	if (!CHECK_INT(counter_list_init(&list), 0))
		return;
	for (size_t i = 0; i < count; i++) {
		const struct expected *row = &rows[i];
		const struct counter_def *def = counter_list_find(&list, row->name);
		check_row("%s", row->name);
		if (!CHECK(def != NULL))
			continue;
		CHECK_STR(def->name, row->name);
		CHECK_STR(def->file, row->file);
		CHECK_INT(def->group, row->group);
		CHECK_INT(def->type, row->type);
		CHECK_INT(def->unit, row->unit);
		CHECK_NEAR(def->threshold, row->threshold);
		CHECK_INT(def->fatal, row->fatal);
		CHECK_INT(def->enabled, enabled);
		CHECK_INT(def->early_breach, false);
		if (row->description != NULL)
			CHECK_STR(def->description, row->description);
		/* Consumers split messages at `;`. */
		CHECK(def->description != NULL && strchr(def->description, ';') == NULL);
	}
	counter_list_fini(&list);
}

static void
defaults(void)
{
	check_rows(on, CHECK_COUNT(on), true);
}

static void
known_but_off(void)
{
	check_rows(off, CHECK_COUNT(off), false);
}

static void
nothing_else(void)
{
	struct counter_list list;
	CHECK_INT(counter_list_init(&list), 0);
	CHECK_INT((int64_t)list.count, CHECK_COUNT(on) + CHECK_COUNT(off));
	for (size_t i = 0; i < list.count; i++) {
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(list.items[i].name, list.items[k].name) != 0);
		CHECK(strcmp(list.items[i].file, "lifespan") != 0);
	}
	CHECK(counter_list_find(&list, "no_such_counter") == NULL);
	CHECK(counter_list_find(&list, "") == NULL);
	CHECK(counter_list_find(&list, "symbol") == NULL);
	counter_list_fini(&list);
	CHECK_INT((int64_t)list.count, 0);
}

static void
adding(void)
{
	struct counter_list list = {0};
	char name[16];
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof name, "c%d", i);
		struct counter_def *def = counter_list_add(&list, name);
		if (!CHECK(def != NULL))
			break;
		CHECK_STR(def->name, name);
		CHECK(def->enabled);
		CHECK(def->file == NULL && def->description == NULL);
	}
	CHECK(counter_list_find(&list, "c57") == &list.items[57]);
	counter_list_fini(&list);
}

static void
paths(void)
{
	static const struct {
		const char *path;
		enum counter_group group;
		const char *file;
	} rows[] = {
		{"counters/symbol_error", COUNTER_PORT, "symbol_error"},
		{"hw_counters/out_of_sequence", COUNTER_HW, "out_of_sequence"},
		{"device_hw_counters/cmds_err", COUNTER_DEVICE_HW, "cmds_err"},
		{"statistics/rx_errors", COUNTER_STATISTICS, "rx_errors"},
		{"/sys/class/net/{interface}/carrier_changes", COUNTER_INTERFACE,
			"carrier_changes"},
		{"/sys/class/net/{interface}/statistics/rx_errors", COUNTER_STATISTICS,
			"rx_errors"},
		{"counters/lifespan", COUNTER_PORT, "lifespan"},
		{"counters/..x", COUNTER_PORT, "..x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		enum counter_group group = COUNTER_GROUP_N;
		const char *file = NULL;
		check_row("%s", rows[i].path);
		CHECK(counter_parse_path(rows[i].path, &group, &file));
		CHECK_INT(group, rows[i].group);
		CHECK_STR(file, rows[i].file);
	}
}

static void
paths_refused(void)
{
	static const char *const rows[] = {"", "symbol_error", "counters", "counters/",
		"counters/.", "counters/..", "counters/../state", "counters/a/b", "counters//a",
		"hw_counters/", "hw_counters/..", "hw_counters/../../x", "hw_counters/lifespan",
		"device_hw_counters/", "device_hw_counters/..", "device_hw_counters/lifespan",
		"statistics/", "statistics/../address", "/counters/symbol_error",
		"./counters/symbol_error", "../counters/symbol_error", "Counters/symbol_error",
		"counters_x/symbol_error", "net/carrier_changes", "/sys/class/net/eth0/mtu",
		"/sys/class/net/{interface}", "/sys/class/net/{interface}/",
		"/sys/class/net/{interface}/..", "/sys/class/net/{interface}/../eth1/mtu",
		"/sys/class/net/{interface}/statistics/",
		"/sys/class/net/{interface}/statistics/..",
		"/sys/class/net/{interface}/device/numa_node", "/etc/passwd"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		enum counter_group group;
		const char *file;
		check_row("\"%s\"", rows[i]);
		CHECK(!counter_parse_path(rows[i], &group, &file));
	}
}

static void
names(void)
{
	CHECK_STR(counter_group_key(COUNTER_PORT), "counters");
	CHECK_STR(counter_group_key(COUNTER_HW), "hw_counters");
	CHECK_STR(counter_group_key(COUNTER_DEVICE_HW), "device_hw_counters");
	CHECK_STR(counter_group_key(COUNTER_STATISTICS), "net");
	CHECK_STR(counter_group_key(COUNTER_INTERFACE), "net");
	CHECK_STR(counter_unit_name(SEC), "sec");
	CHECK_STR(counter_unit_name(MIN), "min");
	CHECK_STR(counter_unit_name(HOUR), "hour");
	CHECK_U64(counter_unit_ns(SEC), UINT64_C(1000000000));
	CHECK_U64(counter_unit_ns(MIN), UINT64_C(60000000000));
	CHECK_U64(counter_unit_ns(HOUR), UINT64_C(3600000000000));
}

static void
maxima(void)
{
	/* kernel#counter-widths. */
	static const struct {
		const char *path;
		uint64_t maximum;
	} rows[] = {
		{"counters/link_downed", 255},
		{"counters/link_error_recovery", 255},
		{"counters/port_xmit_constraint_errors", 255},
		{"counters/port_rcv_constraint_errors", 255},
		{"counters/symbol_error", 65535},
		{"counters/port_rcv_errors", 65535},
		{"counters/port_rcv_remote_physical_errors", 65535},
		{"counters/port_rcv_switch_relay_errors", 65535},
		{"counters/port_xmit_discards", 65535},
		{"counters/VL15_dropped", 65535},
		{"counters/local_link_integrity_errors", 15},
		{"counters/excessive_buffer_overrun_errors", 15},
		/* 32 bits wide in the attribute, 64 in the extended one, which is read if it
		 * exists. */
		{"counters/port_xmit_wait", 0},
		{"counters/symbol_errors", 0},
		{"counters/symbol", 0},
		/* A file of the same name in another directory is another counter. */
		{"hw_counters/symbol_error", 0},
		{"statistics/link_downed", 0},
		{"/sys/class/net/{interface}/link_downed", 0},
		{"/sys/class/net/{interface}/carrier_changes", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		/* The file has the width, whatever the counter's name. */
		struct counter_def def = {.name = (char *)"link_downed"};
		const char *file = NULL;
		check_row("%s", rows[i].path);
		CHECK(counter_parse_path(rows[i].path, &def.group, &file));
		def.file = (char *)file;
		CHECK_U64(counter_maximum(&def), rows[i].maximum);
	}
}

static void
link_layers(void)
{
	static const struct {
		const char *name, *link_layer;
		bool judged;
	} rows[] = {
		{"carrier_changes", "Ethernet", true},
		{"carrier_changes", "InfiniBand", false},
		{"carrier_changes", NULL, true},
		{"link_downed", "InfiniBand", true},
		{"rx_errors", "InfiniBand", true},
	};
	struct counter_list list;
	CHECK_INT(counter_list_init(&list), 0);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s, %s", rows[i].name,
			rows[i].link_layer != NULL ? rows[i].link_layer : "-");
		CHECK_INT(
			counter_is_for(counter_list_find(&list, rows[i].name), rows[i].link_layer),
			rows[i].judged);
	}
	counter_list_fini(&list);
}

/* Whichever files a port has. */
static void
vendors(void)
{
	/* a letter for each vendor whose NICs have it: NVIDIA, aMazon, Amd, Broadcom, Intel,
	 * Other */
	static const char letters[VENDOR_N + 1] = {[VENDOR_NVIDIA] = 'N',
		[VENDOR_AMAZON] = 'M',
		[VENDOR_AMD] = 'A',
		[VENDOR_BROADCOM] = 'B',
		[VENDOR_INTEL] = 'I',
		[VENDOR_OTHER] = 'O'};
	static const struct {
		const char *name, *path, *vendors;
	} rows[] = {
		{"link_downed", "counters/link_downed", "NO"},
		{"rnr_nak_retry_err", "hw_counters/rnr_nak_retry_err", "NO"},
		{"mine", "hw_counters/rx_drops", "NO"},
		{"efa_rx_drops", "hw_counters/rx_drops", "M"},
		{"efa_mine", "counters/link_downed", "M"},
		{"mine", "device_hw_counters/cmds_err", "M"},
		{"ionic_mine", "hw_counters/x", "A"},
		{"bnxt_mine", "counters/x", "B"},
		{"bnxt_mine", "device_hw_counters/x", "B"},
		{"irdma_mine", "statistics/x", "I"},
		{"rx_errors", "statistics/rx_errors", "NMABIO"},
		{"carrier_changes", "/sys/class/net/{interface}/carrier_changes", "NMABIO"},
		{"efa", "hw_counters/x", "NO"},
		{"my_bnxt_x", "hw_counters/x", "NO"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct counter_list list = {0};
		const char *file = NULL;
		struct counter_def *def = counter_list_add(&list, rows[i].name);
		CHECK(counter_parse_path(rows[i].path, &def->group, &file));
		def->file = strdup(file);
		for (enum vendor vendor = 0; vendor <= VENDOR_OTHER; vendor++) {
			check_row("%s %s, %c", rows[i].name, rows[i].path, letters[vendor]);
			CHECK_INT(counter_is_of(def, vendor),
				strchr(rows[i].vendors, letters[vendor]) != NULL);
		}
		counter_list_fini(&list);
	}
}

static const struct check_test tests[] = {
	{"the twenty-eight default counters match the specification", defaults},
	{"the known but disabled counters match the specification", known_but_off},
	{"there is no other counter, and each name occurs once", nothing_else},
	{"an added counter is enabled and has only a name", adding},
	{"every form of a counter's path is parsed", paths},
	{"parent directories, other directories and lifespan are rejected as counters' paths",
		paths_refused},
	{"groups and units have the names used in records and messages", names},
	{"only port counters have a maximum, by the width of their file", maxima},
	{"only carrier_changes of an IPoIB interface is not judged", link_layers},
	{"a counter belongs to a vendor by its name, or is one that mlx5 counts", vendors},
};
CHECK_MAIN(tests)
