/* classify - which NIC matters: the table of SPEC section 3, as a pure function of facts. */
#include "classify.h"

#include <string.h>

static bool
equals(const char *text, const char *wanted)
{
	return text != NULL && strcmp(text, wanted) == 0;
}

/* mlx5_<n>, the kernel's own name, which says what the device is where no driver or vendor is to be seen. */
static bool
has_mlx5_name(const char *device)
{
	static const char prefix[] = "mlx5_";
	const char *number = device + strlen(prefix);
	return strncmp(device, prefix, strlen(prefix)) == 0 && *number != '\0' &&
	       number[strspn(number, "0123456789")] == '\0';
}

static bool
is_nvidia_mlx5(const struct facts *facts)
{
	return has_mlx5_name(facts->device) || equals(facts->driver, "mlx5_core") ||
	       (facts->driver == NULL && equals(facts->vendor, "0x15b3"));
}

/* BlueField-2, BlueField-3 integrated ConnectX. */
static bool
is_bluefield(const char *hca_type)
{
	return equals(hca_type, "MT41682") || equals(hca_type, "MT41686") ||
	       equals(hca_type, "MT41692");
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

/* Rules 5 to 13: what a device that takes part is there for. */
static struct verdict
by_topology(const struct facts *facts, const struct rules *rules)
{
	if (facts->default_route)
		return (struct verdict){ROLE_MANAGEMENT, REASON_DEFAULT_ROUTE, false};
	if (rules->no_metadata)
		return (struct verdict){ROLE_NONE, REASON_NO_METADATA, true};
	if (facts->numa_node >= 0 && rules->gpu_numa_count > 0 &&
		!is_gpu_numa(rules, facts->numa_node))
		return (struct verdict){ROLE_MANAGEMENT, REASON_NUMA_GATE, false};
	if (facts->row.present && facts->row.pix_or_pxb)
		return (struct verdict){ROLE_COMPUTE, REASON_TOPO_PIX_PXB, true};
	if (facts->numa_node < 0)
		return (struct verdict){ROLE_MANAGEMENT, REASON_NUMA_UNKNOWN, false};
	if (facts->row.present && facts->row.all_sys && is_bluefield(facts->hca_type))
		return (struct verdict){ROLE_MANAGEMENT, REASON_BLUEFIELD_ALL_SYS, false};
	if (equals(facts->link_layer, "InfiniBand"))
		return (struct verdict){ROLE_COMPUTE, REASON_LINK_LAYER_INFINIBAND, true};
	if (facts->row.present && facts->row.node_or_phb)
		return (struct verdict){ROLE_STORAGE, REASON_TOPO_NODE_PHB, true};
	if (facts->row.present && facts->row.all_sys)
		return (struct verdict){ROLE_STORAGE, REASON_ALL_SYS_ETHERNET, true};
	return (struct verdict){ROLE_STORAGE, REASON_NOT_IN_TOPOLOGY, true};
}

/* A device that could not be read is what it was. One that never could be is watched all the same, without a role:
 * that it cannot be read is then reported, and it is nobody's evidence. */
static struct verdict
unreadable(const struct verdict *previous)
{
	if (previous != NULL)
		return *previous;
	return (struct verdict){ROLE_NONE, REASON_UNREADABLE, true};
}

struct verdict
classify(const struct facts *facts, const struct rules *rules, const struct verdict *previous)
{
	if (rules->inclusion->count > 0) {
		if (!rx_list_match(rules->inclusion, facts->device))
			return (struct verdict){ROLE_NONE, REASON_OVERRIDE, false};
		if (facts->unreadable)
			return unreadable(previous);
		return (struct verdict){by_topology(facts, rules).role, REASON_OVERRIDE, true};
	}
	if (rx_list_match(rules->exclusion, facts->device))
		return (struct verdict){ROLE_NONE, REASON_EXCLUDED, false};
	if (facts->vf)
		return (struct verdict){ROLE_NONE, REASON_VIRTUAL_FUNCTION, false};
	if (facts->unreadable && previous != NULL)
		return *previous;
	if (!is_nvidia_mlx5(facts))
		return (struct verdict){ROLE_NONE, REASON_VENDOR, false};
	if (facts->unreadable)
		return unreadable(previous);
	return by_topology(facts, rules);
}

const char *
role_name(enum role role)
{
	switch (role) {
	case ROLE_NONE:
		return NULL;
	case ROLE_COMPUTE:
		return "compute";
	case ROLE_STORAGE:
		return "storage";
	case ROLE_MANAGEMENT:
		return "management";
	case ROLE_N:
		break;
	}
	return NULL;
}

const char *
reason_name(enum reason reason)
{
	switch (reason) {
	case REASON_DEFAULT_ROUTE:
		return "default_route";
	case REASON_NUMA_GATE:
		return "numa_gate";
	case REASON_TOPO_PIX_PXB:
		return "topo_pix_pxb";
	case REASON_NUMA_UNKNOWN:
		return "numa_unknown";
	case REASON_BLUEFIELD_ALL_SYS:
		return "bluefield_all_sys";
	case REASON_LINK_LAYER_INFINIBAND:
		return "link_layer_infiniband";
	case REASON_TOPO_NODE_PHB:
		return "topo_node_phb";
	case REASON_ALL_SYS_ETHERNET:
		return "all_sys_ethernet";
	case REASON_NOT_IN_TOPOLOGY:
		return "not_in_topology";
	case REASON_VIRTUAL_FUNCTION:
		return "virtual_function";
	case REASON_VENDOR:
		return "vendor";
	case REASON_EXCLUDED:
		return "excluded";
	case REASON_OVERRIDE:
		return "override";
	case REASON_UNREADABLE:
		return "unreadable";
	case REASON_NO_METADATA:
		return "no_metadata";
	case REASON_N:
		break;
	}
	return NULL;
}
