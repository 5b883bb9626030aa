/* Unit tests of portfacts: the facts of a single port or device record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../lib/portfacts.h"

#include "check.h"

static void
up(void)
{
	static const struct {
		const char *state, *phys_state;
		bool up;
	} rows[] = {
		{"ACTIVE", "LinkUp", true},
		{"ACTIVE", "LinkErrorRecovery", false},
		{"ACTIVE_DEFER", "LinkUp", false},
		{"INIT", "LinkUp", false},
		{"DOWN", "Disabled", false},
		{"active", "LinkUp", false},
		{NULL, "LinkUp", false},
		{"ACTIVE", NULL, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct scanrec_port port = {
			.state = rows[i].state, .phys_state = rows[i].phys_state};
		check_row("row %zu", i);
		CHECK_INT(portfacts_is_up(&port), rows[i].up);
	}
}

static void
may_be_watched(void)
{
	static const struct {
		struct scanrec_device device;
		bool watched;
	} rows[] = {
		{{.monitored = true, .role = "compute"}, true},
		{{.monitored = true, .error = "timeout", .reason = "unreadable"}, true},
		{{.error = "timeout", .reason = "unreadable"}, true},
		/* unreadable: it may be any vendor's */
		{{.error = "timeout", .reason = "vendor"}, true},
		/* another vendor's, whether it answers or not */
		{{.error = "timeout", .reason = "vendor", .vendor = "0x8086"}, false},
		{{.error = "timeout", .reason = "vendor", .driver = "irdma"}, false},
		{{.reason = "vendor"}, false},
		/* known from before, or by name */
		{{.error = "timeout", .role = "management", .reason = "numa_gate"}, false},
		{{.error = "timeout", .reason = "excluded"}, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(portfacts_may_be_watched(&rows[i].device), rows[i].watched);
	}
}

static void
functions(void)
{
	static const struct {
		struct scanrec_device device;
		bool is_it;
	} rows[] = {
		{{.pci = "0000:18:00.0"}, true},
		{{.pci = "0000:18:00.1"}, false},
		{{.pci = NULL}, false},
		/* a part of it, and a subfunction */
		{{.pci = "0000:18:00.0", .parent = "mlx5_0"}, false},
		{{.pci = "0000:18:00.0", .vf = true}, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(portfacts_is_function(&rows[i].device, "0000:18:00.0"), rows[i].is_it);
	}
}

static void
gids(void)
{
	static const struct {
		const char *link_layer, *state, *gids;
		enum portfacts_gids verdict;
		const char *reason;
	} rows[] = {
		{"Ethernet", "ACTIVE", "{'total':2,'ipv4_mapped':1,'roce_v2':1}",
			PORTFACTS_GIDS_FINE, ""},
		{"Ethernet", "ACTIVE", "{'total':2,'ipv4_mapped':0,'roce_v2':1}",
			PORTFACTS_GIDS_NO_IPV4, "no IPv4 GID"},
		{"Ethernet", "ACTIVE", "{'total':0,'ipv4_mapped':0,'roce_v2':0}",
			PORTFACTS_GIDS_NONE, "no valid GID"},
		/* not RoCE */
		{"InfiniBand", "ACTIVE", "{'total':1,'ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN, ""},
		{NULL, "ACTIVE", "{'total':0,'ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN, ""},
		/* without a link there is a worse fault */
		{"Ethernet", "DOWN", "{'total':0,'ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN, ""},
		{"Ethernet", NULL, "{'total':0,'ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN, ""},
		/* not read, or malformed */
		{"Ethernet", "ACTIVE", NULL, PORTFACTS_GIDS_UNKNOWN, ""},
		{"Ethernet", "ACTIVE", "{}", PORTFACTS_GIDS_UNKNOWN, ""},
		{"Ethernet", "ACTIVE", "{'total':0}", PORTFACTS_GIDS_UNKNOWN, ""},
		{"Ethernet", "ACTIVE", "{'total':'none','ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN,
			""},
		{"Ethernet", "ACTIVE", "{'total':-1,'ipv4_mapped':0}", PORTFACTS_GIDS_UNKNOWN, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *table = rows[i].gids != NULL ? check_json_new(rows[i].gids) : NULL;
		const struct scanrec_port port = {
			.link_layer = rows[i].link_layer, .state = rows[i].state, .gids = table};
		check_row("row %zu", i);
		CHECK_INT(portfacts_gids(&port), rows[i].verdict);
		CHECK_STR(portfacts_gids_reason(portfacts_gids(&port)), rows[i].reason);
		json_decref(table);
	}
}

static void
pinned(void)
{
	static const struct {
		const char *reason;
		bool monitored, pinned;
	} rows[] = {
		{"override", true, true},
		/* With an override all other devices have this reason. */
		{"override", false, false},
		{"topo_pix_pxb", true, false},
		{NULL, true, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct scanrec_device device = {
			.reason = rows[i].reason, .monitored = rows[i].monitored};
		check_row("row %zu", i);
		CHECK_INT(portfacts_is_pinned(&device), rows[i].pinned);
	}
}

static void
no_peers(void)
{
	CHECK_HAS(portfacts_no_peers(NULL), "are unknown");
	CHECK_HAS(portfacts_no_peers("fabric"), "may differ");
	CHECK_STR(portfacts_no_peers("compute"), NULL);
	CHECK_STR(portfacts_no_peers("storage"), NULL);
}

static const struct check_test tests[] = {
	{"ports of one role are peers, but not those without a role or of the fabric", no_peers},
	{"a port is up only if it is ACTIVE and LinkUp", up},
	{"a NIC is pinned if the inclusion override names it", pinned},
	{"a device that does not answer may be watched, unless its vendor or role rules it out",
		may_be_watched},
	{"a function's device is the NIC on it, and no part of that NIC", functions},
	{"the GID table is evaluated only on ACTIVE RoCE ports where it was read", gids},
};
CHECK_MAIN(tests)
