/* fields - tables of the numbers that lnetctl prints: their paths and their keys in records.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "lnet.h"

const struct lnet_field lnet_ni_fields[LNET_NI_N] = {
	[LNET_NI_FATAL_ERROR] = {"health stats/fatal_error", "fatal_error"},
	[LNET_NI_HEALTH_VALUE] = {"health stats/health value", "health_value"},
	[LNET_NI_COUNTERS] = {"statistics/send_count", "send_count"},
	{"statistics/recv_count", "recv_count"},
	{"statistics/drop_count", "drop_count"},
	{"health stats/interrupts", "interrupts"},
	{"health stats/dropped", "dropped"},
	{"health stats/aborted", "aborted"},
	{"health stats/no route", "no_route"},
	{"health stats/timeouts", "timeouts"},
	{"health stats/error", "error"},
};

const struct lnet_field lnet_peer_fields[LNET_PEER_N] = {
	{"health stats/dropped", "dropped"},
	{"health stats/timeout", "timeout"},
	{"health stats/error", "error"},
	{"health stats/network timeout", "network_timeout"},
};

#define SAME(name) \
	{ \
		name, name \
	}
const struct lnet_field lnet_statistics_fields[LNET_STATISTICS_N] = {
	SAME("errors"),
	SAME("send_count"),
	SAME("recv_count"),
	SAME("drop_count"),
	SAME("resend_count"),
	SAME("failed_resends"),
	SAME("successful_resends"),
	SAME("response_timeout_count"),
	SAME("local_interrupt_count"),
	SAME("local_dropped_count"),
	SAME("local_aborted_count"),
	SAME("local_no_route_count"),
	SAME("local_timeout_count"),
	SAME("local_error_count"),
	SAME("remote_dropped_count"),
	SAME("remote_error_count"),
	SAME("remote_timeout_count"),
	SAME("network_timeout_count"),
};

const char *const lnet_section_names[LNET_SECTION_N] = {
	[LNET_NET] = "net",
	[LNET_PEER] = "peer",
	[LNET_STATISTICS] = "statistics",
	[LNET_GLOBAL] = "global",
};
