/* Unit tests of topoclass's classify: spec#role-rules, rule by rule. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/classify.h"

#include "check.h"
#include "choice.h"

static struct rx_list none, exclusion, inclusion;
static const int64_t gpu_numa[] = {0, 1};
static const struct rules plain = {
	.exclusion = &exclusion, .inclusion = &none, .gpu_numa = gpu_numa, .gpu_numa_count = 2};
static const struct rules override = {.exclusion = &exclusion,
	.inclusion = &inclusion,
	.gpu_numa = gpu_numa,
	.gpu_numa_count = 2};

static void
set_up(void)
{
	struct rx_error error;
	CHECK_INT(rx_list_init(&exclusion, "^veth,^excluded", &error), 0);
	CHECK_INT(rx_list_init(&inclusion, "^pinned,^mlx5_7$", &error), 0);
}

static void
tear_down(void)
{
	rx_list_fini(&exclusion);
	rx_list_fini(&inclusion);
}

#define ROW_PIX \
	{ \
		.present = true, .pix_or_pxb = true, .node_or_phb = true \
	}
#define ROW_NODE \
	{ \
		.present = true, .node_or_phb = true \
	}
#define ROW_SYS \
	{ \
		.present = true, .all_sys = true \
	}
#define ROW_APART \
	{ \
		.present = true, .node_or_phb = true, .apart = true \
	}
#define ROW_OTHER \
	{ \
		.present = true \
	} /* NV links only, or X */
#define IB "InfiniBand"
#define ETH "Ethernet"
#define BF "MT41692"

struct row {
	const char *what;
	struct facts facts;
	const char *role, *reason;
	bool monitored;
};

static void
check_verdict(struct verdict verdict, const struct row *row)
{
	check_row("%s", row->what);
	CHECK_STR(classify_role_name(verdict.role), row->role);
	CHECK_STR(classify_reason_name(verdict.reason), row->reason);
	CHECK_INT(verdict.monitored, row->monitored);
}

static void
check_rows(const struct row *rows, size_t count, const struct rules *rules)
{
	set_up();
	for (size_t i = 0; i < count; i++)
		check_verdict(classify(&rows[i].facts, rules, NULL), &rows[i]);
	tear_down();
}

/* Every row meets its rule's condition, and those of as many later rules as possible. */
static void
every_rule(void)
{
	static const struct row rows[] = {
		{"2 before 3: an excluded VF", {.device = "excluded0", .vf = true}, NULL,
			"excluded", false},
		{"2 before 7", {.device = "veth0", .driver = "mlx5_core", .row = ROW_PIX}, NULL,
			"excluded", false},
		{"3 before 4: a VF of another vendor", {.device = "irdma0", .vf = true}, NULL,
			"virtual_function", false},
		{"3 before 5",
			{.device = "mlx5_0", .vf = true, .default_route = true, .row = ROW_PIX},
			NULL, "virtual_function", false},
		{"4 before 5", {.device = "irdma0", .driver = "irdma", .default_route = true}, NULL,
			"vendor", false},
		{"5 before 6", {.device = "mlx5_0", .default_route = true, .numa_node = 9},
			"management", "default_route", false},
		{"5 before 7", {.device = "mlx5_0", .default_route = true, .row = ROW_PIX},
			"management", "default_route", false},
		{"5 before 10", {.device = "mlx5_0", .default_route = true, .link_layer = IB},
			"management", "default_route", false},
		{"6 before 7", {.device = "mlx5_0", .numa_node = 2, .row = ROW_PIX}, "management",
			"numa_gate", false},
		{"6 before 10", {.device = "mlx5_0", .numa_node = 2, .link_layer = IB},
			"management", "numa_gate", false},
		{"7 before 8", {.device = "mlx5_0", .numa_node = -1, .row = ROW_PIX}, "compute",
			"topo_pix_pxb", true},
		{"7 before 9", {.device = "mlx5_0", .hca_type = BF, .row = ROW_PIX}, "compute",
			"topo_pix_pxb", true},
		{"7 before 11", {.device = "mlx5_0", .link_layer = ETH, .row = ROW_PIX}, "compute",
			"topo_pix_pxb", true},
		{"8 before 9",
			{.device = "mlx5_0", .numa_node = -1, .hca_type = BF, .row = ROW_SYS},
			"management", "numa_unknown", false},
		{"8 before 10", {.device = "mlx5_0", .numa_node = -1, .link_layer = IB},
			"management", "numa_unknown", false},
		{"11 and not 8: it is near a GPU",
			{.device = "mlx5_0", .numa_node = -1, .link_layer = ETH, .row = ROW_NODE},
			"storage", "topo_node_phb", true},
		{"10 and not 8: it is near a GPU",
			{.device = "mlx5_0", .numa_node = -1, .link_layer = IB, .row = ROW_NODE},
			"compute", "link_layer_infiniband", true},
		{"8 before 13", {.device = "mlx5_0", .numa_node = -1}, "management", "numa_unknown",
			false},
		{"9 before 10",
			{.device = "mlx5_0", .hca_type = BF, .link_layer = IB, .row = ROW_SYS},
			"management", "bluefield_all_sys", false},
		{"9 before 12",
			{.device = "mlx5_0", .hca_type = BF, .link_layer = ETH, .row = ROW_SYS},
			"management", "bluefield_all_sys", false},
		{"9 before 10, by its PCI domain",
			{.device = "mlx5_0", .hca_type = BF, .link_layer = IB, .row = ROW_APART},
			"management", "bluefield_all_sys", false},
		{"11, not a BlueField and in a PCI domain without GPUs",
			{.device = "mlx5_0", .link_layer = ETH, .row = ROW_APART}, "storage",
			"topo_node_phb", true},
		{"11, a BlueField",
			{.device = "mlx5_0", .hca_type = BF, .link_layer = ETH, .row = ROW_NODE},
			"storage", "topo_node_phb", true},
		{"10 before 11", {.device = "mlx5_0", .link_layer = IB, .row = ROW_NODE}, "compute",
			"link_layer_infiniband", true},
		{"10 before 12", {.device = "mlx5_0", .link_layer = IB, .row = ROW_SYS}, "compute",
			"link_layer_infiniband", true},
		{"10 before 13", {.device = "mlx5_0", .link_layer = IB}, "compute",
			"link_layer_infiniband", true},
		{"11", {.device = "mlx5_0", .link_layer = ETH, .row = ROW_NODE}, "storage",
			"topo_node_phb", true},
		{"12", {.device = "mlx5_0", .link_layer = ETH, .row = ROW_SYS}, "storage",
			"all_sys_ethernet", true},
		{"13", {.device = "mlx5_0", .link_layer = ETH}, "storage", "not_in_topology", true},
		{"13, and no port either", {.device = "mlx5_0"}, "storage", "not_in_topology",
			true},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

/* A part of another device has that device's role, whatever its own facts. */
static void
sub_device(void)
{
	static const struct verdict compute = {ROLE_COMPUTE, REASON_TOPO_PIX_PXB, true};
	static const struct verdict management = {ROLE_MANAGEMENT, REASON_DEFAULT_ROUTE, false};
	static const struct verdict excluded = {ROLE_NONE, REASON_EXCLUDED, false};
	static const struct row rows[] = {
		{"of a NIC for the GPUs", {.device = "smi0", .sub = true, .parent = &compute},
			"compute", "sub_device", true},
		{"of a management NIC",
			{.device = "smi0", .sub = true, .parent = &management, .row = ROW_PIX},
			"management", "sub_device", false},
		{"of an excluded device", {.device = "smi0", .sub = true, .parent = &excluded},
			NULL, "sub_device", false},
		{"excluded itself", {.device = "excluded0", .sub = true, .parent = &compute}, NULL,
			"excluded", false},
		{"unreadable",
			{.device = "smi0", .sub = true, .parent = &compute, .unreadable = true},
			"compute", "sub_device", true},
		{"of a missing device", {.device = "smi0", .sub = true, .numa_node = 0}, NULL,
			"sub_device", false},
	};
	static const struct row pinned[] = {
		{"named", {.device = "pinned0", .sub = true, .parent = &management}, "management",
			"override", true},
		{"not named", {.device = "smi0", .sub = true, .parent = &compute}, NULL, "override",
			false},
	};
	static const struct row before = {
		"as before", {.device = "smi0", .sub = true}, "compute", "sub_device", true};
	check_rows(rows, CHECK_COUNT(rows), &plain);
	check_rows(pinned, CHECK_COUNT(pinned), &override);
	set_up();
	check_verdict(classify(&before.facts, &plain, &compute), &before);
	tear_down();
}

/* Without metadata rules 1 to 5 apply as usual, and the others cannot: no role, but watched. */
static void
strangers(void)
{
	static const struct row rows[] = {
		{"Ethernet", {.device = "mlx5_0", .link_layer = ETH}, NULL, "not_in_topology",
			true},
		{"InfiniBand", {.device = "mlx5_0", .link_layer = IB}, NULL, "not_in_topology",
			true},
		{"NUMA node unknown", {.device = "mlx5_0", .numa_node = -1}, NULL,
			"not_in_topology", true},
		{"NUMA node of no GPU", {.device = "mlx5_0", .numa_node = 7}, "management",
			"numa_gate", false},
		{"default route", {.device = "mlx5_0", .default_route = true}, "management",
			"default_route", false},
	};
	struct rules rules = plain;
	rules.strangers = true;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++)
		check_verdict(classify(&rows[i].facts, &rules, NULL), &rows[i]);
}

#define EFA .device = "rdmap79s0", .vendor = "0x1d0f", .link_layer = "EFA"

static void
efa(void)
{
	static const struct row rows[] = {
		{"no row", {EFA, .driver = "efa"}, "compute", "efa_driver", true},
		{"no row, NUMA node unknown", {EFA, .driver = "efa", .numa_node = -1}, "compute",
			"efa_driver", true},
		{"no row, NUMA node of no GPU", {EFA, .driver = "efa", .numa_node = 7}, "compute",
			"efa_driver", true},
		{"no row, with the default route", {EFA, .driver = "efa", .default_route = true},
			"compute", "efa_driver", true},
		{"of any vendor", {.device = "x", .vendor = "0x15b3", .driver = "efa"}, "compute",
			"efa_driver", true},
		{"a row near a GPU", {EFA, .driver = "efa", .row = ROW_PIX}, "compute",
			"topo_pix_pxb", true},
		{"a row far from GPUs", {EFA, .driver = "efa", .row = ROW_NODE}, "storage",
			"topo_node_phb", true},
		{"a row, with the default route",
			{EFA, .driver = "efa", .default_route = true, .row = ROW_PIX}, "management",
			"default_route", false},
		{"a row, NUMA node unknown",
			{EFA, .driver = "efa", .numa_node = -1, .row = ROW_SYS}, "management",
			"numa_unknown", false},
		{"by vendor, no row", {EFA}, "storage", "not_in_topology", true},
		{"by vendor, no row, NUMA node unknown", {EFA, .numa_node = -1}, "management",
			"numa_unknown", false},
		{"another driver of that vendor", {EFA, .driver = "ena"}, NULL, "vendor", false},
		{"another vendor without a driver", {.device = "rdmap79s0", .vendor = "0x1077"},
			NULL, "vendor", false},
		{"excluded", {.device = "excluded0", .driver = "efa"}, NULL, "excluded", false},
		{"a virtual function", {EFA, .driver = "efa", .vf = true}, NULL, "virtual_function",
			false},
	};
	static const struct row alone[] = {
		{"no metadata", {EFA, .driver = "efa"}, "compute", "efa_driver", true}};
	struct rules rules = plain;
	check_rows(rows, CHECK_COUNT(rows), &plain);
	rules.strangers = true;
	check_rows(alone, CHECK_COUNT(alone), &rules);
	rules.nearness = NEARNESS_NOT_ASKED;
	check_rows(alone, CHECK_COUNT(alone), &rules);
	rules.nearness = NEARNESS_UNKNOWN;
	check_rows(alone, CHECK_COUNT(alone), &rules);
}

static void
no_metadata(void)
{
	static const struct row rows[] = {
		{"excluded", {.device = "veth0", .driver = "mlx5_core"}, NULL, "excluded", false},
		{"virtual function", {.device = "mlx5_0", .vf = true}, NULL, "virtual_function",
			false},
		{"another vendor", {.device = "qedr0", .driver = "qede"}, NULL, "vendor", false},
		{"another known vendor", {.device = "bnxt_re0", .driver = "bnxt_en"}, NULL,
			"no_metadata", true},
		{"default route", {.device = "mlx5_0", .default_route = true}, "management",
			"default_route", false},
		{"InfiniBand", {.device = "mlx5_0", .link_layer = IB}, NULL, "no_metadata", true},
		{"NUMA node without a GPU", {.device = "mlx5_0", .numa_node = 7}, NULL,
			"no_metadata", true},
		{"NUMA node unknown", {.device = "mlx5_0", .numa_node = -1}, NULL, "no_metadata",
			true},
		{"BlueField", {.device = "mlx5_0", .hca_type = BF}, NULL, "no_metadata", true},
		{"unreadable", {.device = "mlx5_0", .unreadable = true}, NULL, "unreadable", true},
	};
	struct rules rules = {.exclusion = plain.exclusion,
		.inclusion = plain.inclusion,
		.nearness = NEARNESS_NOT_ASKED};
	check_rows(rows, CHECK_COUNT(rows), &rules);
}

static void
no_gpus(void)
{
	static const struct row rows[] = {
		{"excluded", {.device = "veth0", .driver = "mlx5_core"}, NULL, "excluded", false},
		{"default route", {.device = "mlx5_0", .default_route = true}, "management",
			"default_route", false},
		{"InfiniBand", {.device = "mlx5_0", .link_layer = IB}, "fabric", "no_gpus", true},
		{"NUMA node unknown", {.device = "mlx5_0", .numa_node = -1}, "fabric", "no_gpus",
			true},
		{"BlueField", {.device = "mlx5_0", .hca_type = BF, .row = ROW_SYS}, "fabric",
			"no_gpus", true},
		{"EFA adapter", {EFA, .driver = "efa"}, "fabric", "efa_driver", true},
	};
	static const struct row elsewhere[] = {{"of another node",
		{.device = "mlx5_0", .link_layer = IB}, NULL, "not_in_topology", true}};
	struct rules rules = {.exclusion = plain.exclusion,
		.inclusion = plain.inclusion,
		.nearness = NEARNESS_NO_GPUS};
	check_rows(rows, CHECK_COUNT(rows), &rules);
	rules.strangers = true;
	check_rows(elsewhere, CHECK_COUNT(elsewhere), &rules);
}

static void
no_distances(void)
{
	static const struct row rows[] = {
		{"default route", {.device = "mlx5_0", .default_route = true, .link_layer = IB},
			"management", "default_route", false},
		{"InfiniBand", {.device = "mlx5_0", .link_layer = IB, .numa_node = -1}, "compute",
			"link_layer_infiniband", true},
		{"Ethernet", {.device = "mlx5_0", .link_layer = ETH, .numa_node = -1}, NULL,
			"no_distances", true},
		{"no port", {.device = "mlx5_0"}, NULL, "no_distances", true},
	};
	struct rules rules = {.exclusion = plain.exclusion,
		.inclusion = plain.inclusion,
		.nearness = NEARNESS_UNKNOWN};
	check_rows(rows, CHECK_COUNT(rows), &rules);
}

static void
near_misses(void)
{
	static const struct row rows[] = {
		{"not excluded: the expression is anchored",
			{.device = "mlx5_veth", .driver = "mlx5_core", .link_layer = IB}, "compute",
			"link_layer_infiniband", true},
		{"NUMA node of the second GPU",
			{.device = "mlx5_0", .numa_node = 1, .link_layer = IB}, "compute",
			"link_layer_infiniband", true},
		{"BlueField with a GPU nearby",
			{.device = "mlx5_0", .hca_type = BF, .link_layer = ETH, .row = ROW_NODE},
			"storage", "topo_node_phb", true},
		{"BlueField without a row", {.device = "mlx5_0", .hca_type = BF, .link_layer = ETH},
			"storage", "not_in_topology", true},
		{"ConnectX far from all GPUs",
			{.device = "mlx5_0",
				.hca_type = "MT4129",
				.link_layer = IB,
				.row = ROW_SYS},
			"compute", "link_layer_infiniband", true},
		{"link layer in another spelling",
			{.device = "mlx5_0", .link_layer = "infiniband", .row = ROW_SYS}, "storage",
			"all_sys_ethernet", true},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

static void
bluefields(void)
{
	static const char *const types[] = {"MT41682", "MT41686", "MT41692"};
	static const char *const others[] = {"MT4129", "MT41693", "MT4169", "MT416920", "", NULL};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(types); i++) {
		const struct facts facts = {
			.device = "mlx5_0", .hca_type = types[i], .row = ROW_SYS};
		check_row("%s", types[i]);
		CHECK_INT(classify(&facts, &plain, NULL).reason, REASON_BLUEFIELD_ALL_SYS);
	}
	for (size_t i = 0; i < CHECK_COUNT(others); i++) {
		const struct facts facts = {
			.device = "mlx5_0", .hca_type = others[i], .row = ROW_SYS};
		check_row("other %zu", i);
		CHECK_INT(classify(&facts, &plain, NULL).reason, REASON_ALL_SYS_ETHERNET);
	}
	tear_down();
}

static void
vendors(void)
{
	static const struct {
		const char *device, *driver, *vendor;
		bool ours;
	} rows[] = {
		{"mlx5_0", NULL, NULL, true},
		{"mlx5_123", "x", "0x1", true},
		{"rocep24s0", "mlx5_core", NULL, true},
		{"rocep24s0", "mlx5_core", "0x8086", true},
		{"rocep24s0", NULL, "0x15b3", true},
		/* A known driver of another vendor counts more than the vendor id. */
		{"rocep24s0", "mlx4_core", "0x15b3", false},
		{"rocep24s0", NULL, NULL, false},
		{"rocep24s0", NULL, "0x8086", true},
		{"rocep24s0", NULL, "0x1077", false},
		{"rocep24s0", "ice", "0x8086", true},
		{"rocep24s0", "irdma", "0x8086", false},
		{"mlx5_", NULL, NULL, false},
		{"mlx5_bond_0", NULL, NULL, false},
		{"mlx5_0x", NULL, NULL, false},
		{"mlx4_0", "mlx4_core", "0x15b3", false},
		{"xmlx5_0", NULL, NULL, false},
		{"m", NULL, NULL, false},
		{"", NULL, NULL, false},
	};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct facts facts = {.device = rows[i].device,
			.driver = rows[i].driver,
			.vendor = rows[i].vendor,
			.link_layer = IB};
		check_row("row %zu: %s", i, rows[i].device);
		CHECK_INT(classify(&facts, &plain, NULL).reason,
			rows[i].ours ? REASON_LINK_LAYER_INFINIBAND : REASON_VENDOR);
	}
	tear_down();
}

static void
inclusion_override(void)
{
	static const struct row rows[] = {
		{"not matching: not monitored, whatever it is",
			{.device = "mlx5_0", .link_layer = IB, .row = ROW_PIX}, NULL, "override",
			false},
		{"matching: compute", {.device = "mlx5_7", .row = ROW_PIX}, "compute", "override",
			true},
		{"matching: storage", {.device = "mlx5_7", .row = ROW_NODE}, "storage", "override",
			true},
		{"bypasses the default route", {.device = "mlx5_7", .default_route = true},
			"management", "override", true},
		{"bypasses the NUMA gate", {.device = "mlx5_7", .numa_node = 5}, "management",
			"override", true},
		{"bypasses the unknown NUMA node", {.device = "mlx5_7", .numa_node = -1},
			"management", "override", true},
		{"bypasses the vendor", {.device = "pinned_irdma", .driver = "irdma"}, "storage",
			"override", true},
		{"bypasses the virtual function",
			{.device = "mlx5_7", .vf = true, .link_layer = IB}, "compute", "override",
			true},
	};
	check_rows(rows, CHECK_COUNT(rows), &override);
}

static void
override_beats_exclusion(void)
{
	struct rx_error error;
	struct rx_list everything;
	struct rules rules = override;
	const struct facts facts = {.device = "excluded0", .driver = "mlx5_core", .link_layer = IB};
	const struct row row = {"excluded, but pinned", {0}, "compute", "override", true};
	set_up();
	CHECK_INT(rx_list_init(&everything, "^excluded0$", &error), 0);
	rules.inclusion = &everything;
	check_verdict(classify(&facts, &rules, NULL), &row);
	rx_list_fini(&everything);
	tear_down();
}

static void
override_without_metadata(void)
{
	/* Without metadata no GPU's NUMA node is known, and rule 6 does not apply. */
	struct rules rules = override;
	const struct facts facts = {.device = "mlx5_7", .numa_node = 5, .link_layer = IB};
	const struct row row = {"no metadata", {0}, "compute", "override", true};
	rules.gpu_numa = NULL;
	rules.gpu_numa_count = 0;
	set_up();
	check_verdict(classify(&facts, &rules, NULL), &row);
	tear_down();
}

static void
unreadable(void)
{
	static const struct verdict before = {ROLE_STORAGE, REASON_TOPO_NODE_PHB, true};
	static const struct {
		const struct rules *rules;
		const char *device;
		const struct verdict *previous;
		struct row expected;
	} rows[] = {
		{&plain, "mlx5_0", &before,
			{"keeps its role", {0}, "storage", "topo_node_phb", true}},
		{&plain, "mlx5_0", NULL, {"has none", {0}, NULL, "unreadable", true}},
		{&plain, "rocep0", &before,
			{"keeps its role without name, driver or vendor", {0}, "storage",
				"topo_node_phb", true}},
		{&plain, "irdma0", NULL, {"is not even known as ours", {0}, NULL, "vendor", false}},
		{&plain, "excluded0", &before, {"excluded now", {0}, NULL, "excluded", false}},
		{&override, "mlx5_7", &before,
			{"pinned, keeps its role", {0}, "storage", "topo_node_phb", true}},
		{&override, "mlx5_7", NULL, {"pinned, has none", {0}, NULL, "unreadable", true}},
		{&override, "mlx5_0", NULL, {"not pinned", {0}, NULL, "override", false}},
	};
	set_up();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		/* The few known facts must not decide: neither route nor NUMA node. */
		const struct facts facts = {
			.device = rows[i].device, .numa_node = -1, .unreadable = true};
		check_verdict(classify(&facts, rows[i].rules, rows[i].previous), &rows[i].expected);
	}
	tear_down();
}

static void
readable_again(void)
{
	static const struct verdict before = {ROLE_NONE, REASON_UNREADABLE, true};
	const struct facts facts = {.device = "mlx5_0", .link_layer = IB};
	const struct row row = {"readable", {0}, "compute", "link_layer_infiniband", true};
	set_up();
	check_verdict(classify(&facts, &plain, &before), &row);
	tear_down();
}

static void
names(void)
{
	/* topoclass(1) has each of them. */
	static const char *const reasons[] = {"default_route", "numa_gate", "topo_pix_pxb",
		"numa_unknown", "bluefield_all_sys", "link_layer_infiniband", "topo_node_phb",
		"all_sys_ethernet", "not_in_topology", "virtual_function", "vendor", "excluded",
		"override", "unreadable", "no_metadata", "sub_device", "efa_driver", "no_gpus",
		"no_distances"};
	CHECK_INT(REASON_N, CHECK_COUNT(reasons));
	for (int i = 0; i < REASON_N; i++)
		CHECK_STR(classify_reason_name((enum reason)i), reasons[i]);
	CHECK_STR(classify_role_name(ROLE_NONE), NULL);
	CHECK_STR(classify_role_name(ROLE_COMPUTE), "compute");
	CHECK_STR(classify_role_name(ROLE_STORAGE), "storage");
	CHECK_STR(classify_role_name(ROLE_MANAGEMENT), "management");
	CHECK_STR(classify_role_name(ROLE_FABRIC), "fabric");
	/* Each can be chosen for a sink. */
	for (enum role role = ROLE_COMPUTE; role < ROLE_N; role++)
		CHECK_STR(choice_check_roles(classify_role_name(role)), NULL);
}

/* The only GPU is not on node 0; entries behind its node do not count. */
static void
one_gpu_elsewhere(void)
{
	static const int64_t nodes[] = {1, 0, 2};
	static const struct rules rules = {
		.exclusion = &none, .inclusion = &none, .gpu_numa = nodes, .gpu_numa_count = 1};
	static const struct row rows[] = {
		{"on node 0", {.device = "mlx5_0", .driver = "mlx5_core", .row = ROW_SYS},
			"management", "numa_gate", false},
		{"on the GPU's",
			{.device = "mlx5_0", .driver = "mlx5_core", .numa_node = 1, .row = ROW_SYS},
			"storage", "all_sys_ethernet", true},
		{"on another",
			{.device = "mlx5_0", .driver = "mlx5_core", .numa_node = 2, .row = ROW_SYS},
			"management", "numa_gate", false},
		{"near to no GPU and far from none",
			{.device = "mlx5_0",
				.driver = "mlx5_core",
				.numa_node = 1,
				.row = ROW_OTHER},
			"storage", "not_in_topology", true},
	};
	check_rows(rows, CHECK_COUNT(rows), &rules);
}

static const struct check_test tests[] = {
	{"a NIC on node 0 is far from a GPU on another node", one_gpu_elsewhere},
	{"a part of another device has that device's role", sub_device},
	{"an EFA adapter is for the GPUs unless the topology matrix rules it out", efa},
	{"each of the rules 2 to 13 applies, before those after it", every_rule},
	{"a rule whose condition is nearly met does not apply", near_misses},
	{"three types of BlueField are known, and no others", bluefields},
	{"a device is NVIDIA's by name or driver, or by vendor without a driver", vendors},
	{"an inclusion override alone decides which devices are monitored", inclusion_override},
	{"an inclusion override beats the exclusion", override_beats_exclusion},
	{"an inclusion override works without metadata", override_without_metadata},
	{"an unreadable device keeps its role, or has none", unreadable},
	{"a device that is readable again is classified again", readable_again},
	{"with another node's metadata every NIC on a GPU's NUMA node is watched, without a role",
		strangers},
	{"without metadata every NIC of a known vendor is watched, without a role", no_metadata},
	{"without GPUs every NVIDIA NIC is for the fabric", no_gpus},
	{"where the distances are unknown, InfiniBand NICs are for the GPUs", no_distances},
	{"roles and reasons are spelled as in records", names},
};
CHECK_MAIN(tests)
