/* classify - the role of a NIC: spec#role-rules as a pure function of facts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "classify.h"

#include "efa.h"
#include "text.h"
#include "vendor.h"

#include <string.h>

bool
classify_has_mlx5_name(const char *device)
{
	static const char prefix[] = "mlx5_";
	const char *number = device + strlen(prefix);
	return text_has_prefix(device, prefix) && *number != '\0' &&
	       number[strspn(number, "0123456789")] == '\0';
}

static bool
is_of_known_vendor(const struct facts *facts)
{
	return classify_has_mlx5_name(facts->device) ||
	       vendor_find(facts->driver, facts->vendor) != VENDOR_OTHER;
}

/* The GPU-NIC matrix may lack EFA adapters. They serve the GPUs, even the one whose interface
 * carries the default route. */
static bool
is_unlisted_efa(const struct facts *facts)
{
	return text_equals(facts->driver, EFA_DRIVER) && !facts->row.present;
}

/* BlueField-2, BlueField-3 integrated ConnectX. */
static bool
is_bluefield(const char *hca_type)
{
	return text_equals(hca_type, "MT41682") || text_equals(hca_type, "MT41686") ||
	       text_equals(hca_type, "MT41692");
}

static bool
is_gpu_numa(const struct rules *rules, int64_t node)
{
	for (size_t i = 0; i < rules->gpu_numa_count; i++) {
		if (rules->gpu_numa[i] == node)
			return true;
	}
	return false;
}

/* Rules 6 to 14. */
static struct verdict
by_distance(const struct facts *facts, const struct rules *rules)
{
	if (facts->numa_node >= 0 && rules->gpu_numa_count > 0 &&
		!is_gpu_numa(rules, facts->numa_node))
		return (struct verdict){ROLE_MANAGEMENT, REASON_NUMA_GATE, false};
	if (rules->strangers)
		return (struct verdict){ROLE_NONE, REASON_NOT_IN_TOPOLOGY, true};
	if (facts->row.present && facts->row.pix_or_pxb)
		return (struct verdict){ROLE_COMPUTE, REASON_TOPO_PIX_PXB, true};
	/* A row that has it near a GPU says more, as where the kernel has one NUMA node only. */
	if (facts->numa_node < 0 && !(facts->row.present && facts->row.node_or_phb))
		return (struct verdict){ROLE_MANAGEMENT, REASON_NUMA_UNKNOWN, false};
	if (facts->row.present && (facts->row.all_sys || facts->row.apart) &&
		is_bluefield(facts->hca_type))
		return (struct verdict){ROLE_MANAGEMENT, REASON_BLUEFIELD_ALL_SYS, false};
	if (text_equals(facts->link_layer, "InfiniBand"))
		return (struct verdict){ROLE_COMPUTE, REASON_LINK_LAYER_INFINIBAND, true};
	if (facts->row.present && facts->row.node_or_phb)
		return (struct verdict){ROLE_STORAGE, REASON_TOPO_NODE_PHB, true};
	if (facts->row.present && facts->row.all_sys)
		return (struct verdict){ROLE_STORAGE, REASON_ALL_SYS_ETHERNET, true};
	return (struct verdict){ROLE_STORAGE, REASON_NOT_IN_TOPOLOGY, true};
}

/* In a guest, InfiniBand serves the GPUs; Ethernet may serve anything. */
static struct verdict
by_link_layer(const struct facts *facts)
{
	if (text_equals(facts->link_layer, "InfiniBand"))
		return (struct verdict){ROLE_COMPUTE, REASON_LINK_LAYER_INFINIBAND, true};
	return (struct verdict){ROLE_NONE, REASON_NO_DISTANCES, true};
}

/* Rules 5 to 14: the role of a device that takes part. */
static struct verdict
by_use(const struct facts *facts, const struct rules *rules)
{
	if (is_unlisted_efa(facts))
		return (struct verdict){
			rules->nearness == NEARNESS_NO_GPUS ? ROLE_FABRIC : ROLE_COMPUTE,
			REASON_EFA_DRIVER, true};
	if (facts->default_route)
		return (struct verdict){ROLE_MANAGEMENT, REASON_DEFAULT_ROUTE, false};
	switch (rules->nearness) {
	case NEARNESS_NOT_ASKED:
		return (struct verdict){ROLE_NONE, REASON_NO_METADATA, true};
	case NEARNESS_NO_GPUS:
		/* The metadata may be another node's. */
		if (rules->strangers)
			return (struct verdict){ROLE_NONE, REASON_NOT_IN_TOPOLOGY, true};
		return (struct verdict){ROLE_FABRIC, REASON_NO_GPUS, true};
	case NEARNESS_UNKNOWN:
		return by_link_layer(facts);
	case NEARNESS_KNOWN:
		break;
	}
	return by_distance(facts, rules);
}

/* An unreadable device keeps its last verdict. Without one it is monitored without a role: its
 * unreadability is reported, and it is no evidence about other NICs. */
static struct verdict
unreadable(const struct verdict *previous)
{
	if (previous != NULL)
		return *previous;
	return (struct verdict){ROLE_NONE, REASON_UNREADABLE, true};
}

/* Planes of a multi-plane NIC have the role of the NIC. */
static struct verdict
as_parent(const struct facts *facts, const struct verdict *previous)
{
	struct verdict verdict = {ROLE_NONE, REASON_SUB_DEVICE, false};
	const struct verdict *known = facts->parent != NULL ? facts->parent : previous;
	if (known != NULL) {
		verdict.role = known->role;
		verdict.monitored = known->monitored;
	}
	return verdict;
}

struct verdict
classify(const struct facts *facts, const struct rules *rules, const struct verdict *previous)
{
	if (rules->inclusion->count > 0) {
		if (!rx_list_match(rules->inclusion, facts->device))
			return (struct verdict){ROLE_NONE, REASON_OVERRIDE, false};
		if (facts->unreadable)
			return unreadable(previous);
		return (struct verdict){
			facts->sub ? as_parent(facts, previous).role : by_use(facts, rules).role,
			REASON_OVERRIDE, true};
	}
	if (rx_list_match(rules->exclusion, facts->device))
		return (struct verdict){ROLE_NONE, REASON_EXCLUDED, false};
	if (facts->vf)
		return (struct verdict){ROLE_NONE, REASON_VIRTUAL_FUNCTION, false};
	if (facts->sub)
		return as_parent(facts, previous);
	if (facts->unreadable && previous != NULL)
		return *previous;
	if (!is_of_known_vendor(facts))
		return (struct verdict){ROLE_NONE, REASON_VENDOR, false};
	if (facts->unreadable)
		return unreadable(previous);
	return by_use(facts, rules);
}

const char *
classify_role_name(enum role role)
{
	static const char *const names[ROLE_N] = {
		[ROLE_COMPUTE] = "compute",
		[ROLE_STORAGE] = "storage",
		[ROLE_MANAGEMENT] = "management",
		[ROLE_FABRIC] = "fabric",
	};
	return names[role];
}

const char *
classify_reason_name(enum reason reason)
{
	static const char *const names[REASON_N] = {
		[REASON_DEFAULT_ROUTE] = "default_route",
		[REASON_NUMA_GATE] = "numa_gate",
		[REASON_TOPO_PIX_PXB] = "topo_pix_pxb",
		[REASON_NUMA_UNKNOWN] = "numa_unknown",
		[REASON_BLUEFIELD_ALL_SYS] = "bluefield_all_sys",
		[REASON_LINK_LAYER_INFINIBAND] = "link_layer_infiniband",
		[REASON_TOPO_NODE_PHB] = "topo_node_phb",
		[REASON_ALL_SYS_ETHERNET] = "all_sys_ethernet",
		[REASON_NOT_IN_TOPOLOGY] = "not_in_topology",
		[REASON_VIRTUAL_FUNCTION] = "virtual_function",
		[REASON_VENDOR] = "vendor",
		[REASON_EXCLUDED] = "excluded",
		[REASON_OVERRIDE] = "override",
		[REASON_UNREADABLE] = "unreadable",
		[REASON_NO_METADATA] = "no_metadata",
		[REASON_SUB_DEVICE] = "sub_device",
		[REASON_EFA_DRIVER] = "efa_driver",
		[REASON_NO_GPUS] = "no_gpus",
		[REASON_NO_DISTANCES] = "no_distances",
	};
	return names[reason];
}
