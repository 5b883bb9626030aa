/* counters - the watched counters: names, sysfs files, thresholds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "counters.h"

#include "array.h"
#include "num.h"
#include "sysfs.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>

const char *const counter_types[COUNTER_TYPE_N] = {
	[COUNTER_DELTA] = "delta",
	[COUNTER_VELOCITY] = "velocity",
};

const char *const counter_units[COUNTER_UNIT_N] = {
	[COUNTER_PER_SECOND] = "second",
	[COUNTER_PER_MINUTE] = "minute",
	[COUNTER_PER_HOUR] = "hour",
};

/* Prefix of the configured path, and the map in a port record. */
static const struct {
	const char *path, *key;
} groups[COUNTER_GROUP_N] = {
	[COUNTER_PORT] = {"counters/", "counters"},
	[COUNTER_HW] = {"hw_counters/", "hw_counters"},
	[COUNTER_DEVICE_HW] = {"device_hw_counters/", "device_hw_counters"},
	[COUNTER_STATISTICS] = {"statistics/", "net"},
	[COUNTER_INTERFACE] = {"/sys/class/net/{interface}/", "net"},
};

/* Prefixes of counter names that only one vendor's NICs have, after the drivers; the file names
 * have no such prefix. NULL: no counters of its own. */
static const char *const prefixes[VENDOR_N] = {
	[VENDOR_AMAZON] = "efa_",
	[VENDOR_AMD] = "ionic_",
	[VENDOR_BROADCOM] = "bnxt_",
	[VENDOR_INTEL] = "irdma_",
};

#define DELTA .type = COUNTER_DELTA, .unit = COUNTER_PER_SECOND
#define PER_SECOND .type = COUNTER_VELOCITY, .unit = COUNTER_PER_SECOND
#define PER_MINUTE .type = COUNTER_VELOCITY, .unit = COUNTER_PER_MINUTE
#define PER_HOUR .type = COUNTER_VELOCITY, .unit = COUNTER_PER_HOUR

/* spec#counter-table: first the enabled counters, then the disabled ones. */
static const struct {
	const char *name, *path, *description;
	enum counter_type type;
	enum counter_unit unit;
	double threshold;
	bool fatal, off;
} builtin[] = {
	{"link_downed", "counters/link_downed",
		"Port Training State Machine failed - QP disconnect", DELTA, .fatal = true},
	{"excessive_buffer_overrun_errors", "counters/excessive_buffer_overrun_errors",
		"HCA internal buffer overflow - lossless contract violated", DELTA, .fatal = true},
	{"local_link_integrity_errors", "counters/local_link_integrity_errors",
		"Physical errors exceed LocalPhyErrors hardware cap", DELTA, .fatal = true},
	{"rnr_nak_retry_err", "hw_counters/rnr_nak_retry_err",
		"Receiver Not Ready NAK retry exhausted - connection severed", DELTA,
		.fatal = true},
	{"symbol_error_fatal", "counters/symbol_error",
		"Symbol errors exceed IBTA BER threshold (10E-12) - link outside spec", PER_HOUR,
		.threshold = 120, .fatal = true},
	{"symbol_error", "counters/symbol_error",
		"PHY bit errors before FEC - physical layer degradation", PER_SECOND,
		.threshold = 10},
	{"link_error_recovery", "counters/link_error_recovery",
		"Link retraining events - micro-flapping", PER_MINUTE, .threshold = 5},
	{"port_rcv_errors", "counters/port_rcv_errors", "Malformed packets received", PER_SECOND,
		.threshold = 10},
	{"out_of_sequence", "hw_counters/out_of_sequence",
		"Fabric routing issues - out of sequence packets", PER_SECOND, .threshold = 100},
	{"local_ack_timeout_err", "hw_counters/local_ack_timeout_err",
		"ACK timeout - potential fabric black hole", PER_SECOND, .threshold = 1},
	{"port_xmit_discards", "counters/port_xmit_discards", "TX discards due to congestion",
		PER_SECOND, .threshold = 100},
	{"port_xmit_wait", "counters/port_xmit_wait", "TX wait ticks - congestion backpressure",
		PER_SECOND, .threshold = 10000},
	{"roce_slow_restart", "hw_counters/roce_slow_restart", "Victim flow oscillation",
		PER_SECOND, .threshold = 10},
	{"carrier_changes", "/sys/class/net/{interface}/carrier_changes",
		"Link instability - carrier state changes", DELTA, .threshold = 2},
	{"efa_no_completion_cmds", "device_hw_counters/no_completion_cmds",
		"EFA admin command never completed - device firmware unresponsive", DELTA,
		.fatal = true},
	{"efa_cmds_err", "device_hw_counters/cmds_err",
		"EFA admin commands failed - control plane errors", PER_MINUTE, .threshold = 10},
	{"efa_rx_drops", "hw_counters/rx_drops",
		"EFA RX packets dropped by the adapter - fabric congestion or receive pressure",
		PER_SECOND, .threshold = 100},
	{"efa_retrans_timeout_events", "hw_counters/retrans_timeout_events",
		"EFA SRD retransmit timeouts that caused a network path change - path instability",
		PER_SECOND, .threshold = 1},
	{"efa_unresponsive_remote_events", "hw_counters/unresponsive_remote_events",
		"EFA remote peer unresponsive - potential fabric black hole", PER_SECOND,
		.threshold = 1},
	{"efa_impaired_remote_conn_events", "hw_counters/impaired_remote_conn_events",
		"EFA connection to remote peer impaired - reduced throughput from packet loss",
		PER_SECOND, .threshold = 1},
	/* Since Linux 6.18 the files of bnxt_re have mlx5's names. */
	{"bnxt_oos_drop_count", "hw_counters/oos_drop_count",
		"Fabric routing issues - out of sequence packets", PER_SECOND, .threshold = 100},
	{"bnxt_out_of_sequence", "hw_counters/out_of_sequence",
		"Fabric routing issues - out of sequence packets", PER_SECOND, .threshold = 100},
	{"bnxt_to_retransmits", "hw_counters/to_retransmits",
		"ACK timeout - potential fabric black hole", PER_SECOND, .threshold = 1},
	{"bnxt_local_ack_timeout_err", "hw_counters/local_ack_timeout_err",
		"ACK timeout - potential fabric black hole", PER_SECOND, .threshold = 1},
	/* The firmware of ionic NICs chooses these names. */
	{"ionic_out_of_sequence", "hw_counters/resp_rx_outouf_seq",
		"Fabric routing issues - out of sequence packets", PER_SECOND, .threshold = 100},
	{"ionic_ack_timeout", "hw_counters/tx_rdma_ack_timeout",
		"ACK timeout - potential fabric black hole", PER_SECOND, .threshold = 1},
	/* Only the third generation counts these. */
	{"irdma_out_of_order", "hw_counters/Rcvd Out of order packets",
		"Fabric routing issues - out of sequence packets", PER_SECOND, .threshold = 100},
	{"irdma_rto", "hw_counters/RTO", "ACK timeout - potential fabric black hole", PER_SECOND,
		.threshold = 1},

	{"req_transport_retries_exceeded", "hw_counters/req_transport_retries_exceeded",
		"Transport retries exhausted - connection severed", DELTA, .fatal = true,
		.off = true},
	{"req_rnr_retries_exceeded", "hw_counters/req_rnr_retries_exceeded",
		"RNR retries exhausted - connection severed", DELTA, .fatal = true, .off = true},
	{"packet_seq_err", "hw_counters/packet_seq_err", "NAK sequence errors received", PER_SECOND,
		.threshold = 10, .off = true},
	{"implied_nak_seq_err", "hw_counters/implied_nak_seq_err",
		"ACKs beyond the expected sequence - lost responses", PER_SECOND, .threshold = 10,
		.off = true},
	{"port_rcv_remote_physical_errors", "counters/port_rcv_remote_physical_errors",
		"Packets marked bad by the remote end", PER_SECOND, .threshold = 10, .off = true},
	{"port_rcv_switch_relay_errors", "counters/port_rcv_switch_relay_errors",
		"Packets the switch could not relay", PER_SECOND, .threshold = 10, .off = true},
	{"port_rcv_discards", "counters/port_rcv_discards",
		"RX discards due to congestion or buffer pressure", PER_SECOND, .threshold = 100,
		.off = true},
	{"rx_crc_errors", "statistics/rx_crc_errors", "Received frames with CRC errors", PER_SECOND,
		.threshold = 10, .off = true},
	{"rx_errors", "statistics/rx_errors", "Receive errors", PER_SECOND, .threshold = 10,
		.off = true},
	{"rx_missed_errors", "statistics/rx_missed_errors", "Received frames without a buffer",
		PER_SECOND, .threshold = 10, .off = true},
	{"tx_errors", "statistics/tx_errors", "Transmit errors", PER_SECOND, .threshold = 10,
		.off = true},
	{"tx_carrier_errors", "statistics/tx_carrier_errors", "Carrier lost while transmitting",
		PER_SECOND, .threshold = 10, .off = true},
	{"efa_rdma_read_wr_err", "hw_counters/rdma_read_wr_err",
		"EFA RDMA read work requests completed with error", PER_SECOND, .threshold = 10,
		.off = true},
	{"efa_rdma_write_wr_err", "hw_counters/rdma_write_wr_err",
		"EFA RDMA write work requests completed with error", PER_SECOND, .threshold = 10,
		.off = true},
	{"efa_keep_alive_rcvd", "device_hw_counters/keep_alive_rcvd",
		"EFA keep-alive events received from the device", PER_SECOND, .threshold = 10,
		.off = true},
	{"efa_reg_mr_err", "device_hw_counters/reg_mr_err",
		"EFA memory region registration failures", PER_SECOND, .threshold = 10,
		.off = true},
	{"efa_create_qp_err", "device_hw_counters/create_qp_err",
		"EFA queue pair creation failures", PER_SECOND, .threshold = 10, .off = true},
	{"efa_create_cq_err", "device_hw_counters/create_cq_err",
		"EFA completion queue creation failures", PER_SECOND, .threshold = 10, .off = true},
	{"efa_create_ah_err", "device_hw_counters/create_ah_err",
		"EFA address handle creation failures", PER_SECOND, .threshold = 10, .off = true},
	{"bnxt_max_retry_exceeded", "hw_counters/max_retry_exceeded",
		"Transport retries exhausted - connection severed", DELTA, .fatal = true,
		.off = true},
	{"bnxt_seq_err_naks_rcvd", "hw_counters/seq_err_naks_rcvd", "NAK sequence errors received",
		PER_SECOND, .threshold = 10, .off = true},
	{"bnxt_packet_seq_err", "hw_counters/packet_seq_err", "NAK sequence errors received",
		PER_SECOND, .threshold = 10, .off = true},
	{"bnxt_missing_resp", "hw_counters/missing_resp",
		"ACKs beyond the expected sequence - lost responses", PER_SECOND, .threshold = 10,
		.off = true},
	{"bnxt_implied_nak_seq_err", "hw_counters/implied_nak_seq_err",
		"ACKs beyond the expected sequence - lost responses", PER_SECOND, .threshold = 10,
		.off = true},
	{"ionic_retry_exceeded", "hw_counters/req_tx_retry_excd_err",
		"Transport retries exhausted - connection severed", DELTA, .fatal = true,
		.off = true},
	{"ionic_packet_seq_err", "hw_counters/req_rx_pkt_seq_err", "NAK sequence errors received",
		PER_SECOND, .threshold = 10, .off = true},
	{"ionic_implied_nak_seq_err", "hw_counters/req_rx_impl_nak_seq_err",
		"ACKs beyond the expected sequence - lost responses", PER_SECOND, .threshold = 10,
		.off = true},
	{"irdma_nak_seq_err", "hw_counters/Nak Sequence Error", "NAK sequence errors received",
		PER_SECOND, .threshold = 10, .off = true},
	{"irdma_implied_nak_seq_err", "hw_counters/Nak Sequence Error Implied",
		"ACKs beyond the expected sequence - lost responses", PER_SECOND, .threshold = 10,
		.off = true},
};

int
counter_list_init(struct counter_list *list)
{
	*list = (struct counter_list){0};
	for (size_t i = 0; i < ARRAY_COUNT(builtin); i++) {
		const char *file = NULL;
		enum counter_group group = COUNTER_PORT;
		struct counter_def *def = counter_list_add(list, builtin[i].name);
		if (def == NULL || !counter_parse_path(builtin[i].path, &group, &file))
			goto failed;

		def->group = group;
		def->file = strdup(file);
		def->description = strdup(builtin[i].description);
		if (def->file == NULL || def->description == NULL)
			goto failed;
		def->type = builtin[i].type;
		def->unit = builtin[i].unit;
		def->threshold = builtin[i].threshold;
		def->fatal = builtin[i].fatal;
		def->enabled = !builtin[i].off;
	}
	return 0;

failed:
	counter_list_fini(list);
	return -1;
}

void
counter_list_fini(struct counter_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		free(list->items[i].name);
		free(list->items[i].file);
		free(list->items[i].description);
	}
	free(list->items);
	*list = (struct counter_list){0};
}

struct counter_def *
counter_list_find(const struct counter_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->items[i].name, name) == 0)
			return &list->items[i];
	}
	return NULL;
}

static enum vendor
owner_of(const char *name)
{
	for (enum vendor vendor = 0; vendor < VENDOR_N; vendor++) {
		if (prefixes[vendor] != NULL && text_has_prefix(name, prefixes[vendor]))
			return vendor;
	}
	return VENDOR_OTHER;
}

struct counter_def *
counter_list_add(struct counter_list *list, const char *name)
{
	struct counter_def *items = realloc(list->items, (list->count + 1) * sizeof *items);
	if (items == NULL)
		return NULL;
	list->items = items;

	struct counter_def *def = &items[list->count];
	*def = (struct counter_def){.name = strdup(name), .owner = owner_of(name), .enabled = true};
	if (def->name == NULL)
		return NULL;
	list->count++;
	return def;
}

bool
counter_parse_path(const char *path, enum counter_group *group, const char **file)
{
	const char *interface = groups[COUNTER_INTERFACE].path;
	const char *statistics = groups[COUNTER_STATISTICS].path;
	size_t above = strlen(interface);

	/* An interface's directory also has statistics/. */
	if (strncmp(path, interface, above) == 0 &&
		strncmp(path + above, statistics, strlen(statistics)) == 0)
		path += above;
	for (size_t i = 0; i < ARRAY_COUNT(groups); i++) {
		size_t length = strlen(groups[i].path);
		if (strncmp(path, groups[i].path, length) != 0)
			continue;
		*group = (enum counter_group)i;
		*file = path + length;
		return sysfs_is_name(*file) && !counter_is_setting(*group, *file);
	}
	return false;
}

bool
counter_is_setting(enum counter_group group, const char *file)
{
	return (group == COUNTER_HW || group == COUNTER_DEVICE_HW) && strcmp(file, "lifespan") == 0;
}

const char *
counter_group_path(enum counter_group group)
{
	return groups[group].path;
}

const char *
counter_group_key(enum counter_group group)
{
	return groups[group].key;
}

bool
counter_is_of(const struct counter_def *def, enum vendor vendor)
{
	if (def->owner != VENDOR_OTHER)
		return vendor == def->owner;
	if (def->group == COUNTER_DEVICE_HW)
		return vendor == VENDOR_AMAZON;
	/* Files of counters/ and hw_counters/ without an owner count what mlx5 counts. Vendors with
	 * counters of their own do not have these. */
	bool has_own = vendor != VENDOR_OTHER && prefixes[vendor] != NULL;
	return !has_own || def->group == COUNTER_STATISTICS || def->group == COUNTER_INTERFACE;
}

bool
counter_is_for(const struct counter_def *def, const char *link_layer)
{
	return link_layer == NULL || def->group != COUNTER_INTERFACE ||
	       strcmp(link_layer, "InfiniBand") != 0 || strcmp(def->file, "carrier_changes") != 0;
}

bool
counter_counts_errors(const struct counter_def *def)
{
	return strcmp(def->file, "port_xmit_wait") != 0 &&
	       strcmp(def->file, "keep_alive_rcvd") != 0;
}

uint64_t
counter_maximum(const struct counter_def *def)
{
	static const struct {
		const char *file;
		unsigned bits;
	} widths[] = {
		{"link_downed", 8},
		{"link_error_recovery", 8},
		{"port_xmit_constraint_errors", 8},
		{"port_rcv_constraint_errors", 8},
		{"symbol_error", 16},
		{"port_rcv_errors", 16},
		{"port_rcv_remote_physical_errors", 16},
		{"port_rcv_switch_relay_errors", 16},
		{"port_xmit_discards", 16},
		{"VL15_dropped", 16},
		{"local_link_integrity_errors", 4},
		{"excessive_buffer_overrun_errors", 4},
	};
	for (size_t i = 0; def->group == COUNTER_PORT && i < ARRAY_COUNT(widths); i++) {
		if (strcmp(def->file, widths[i].file) == 0)
			return (UINT64_C(1) << widths[i].bits) - 1;
	}
	return 0;
}

unsigned long long
counter_unit_ns(enum counter_unit unit)
{
	static const unsigned seconds[COUNTER_UNIT_N] = {
		[COUNTER_PER_SECOND] = 1, [COUNTER_PER_MINUTE] = 60, [COUNTER_PER_HOUR] = 3600};
	return seconds[unit] * NUM_NS_PER_S;
}

const char *
counter_unit_name(enum counter_unit unit)
{
	static const char *const names[COUNTER_UNIT_N] = {[COUNTER_PER_SECOND] = "sec",
		[COUNTER_PER_MINUTE] = "min",
		[COUNTER_PER_HOUR] = "hour"};
	return names[unit];
}
