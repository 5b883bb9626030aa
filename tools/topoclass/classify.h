/* classify - which NIC matters: the table of SPEC section 3, as a pure function of facts. */
#ifndef TOPOCLASS_CLASSIFY_H
#define TOPOCLASS_CLASSIFY_H

#include "rx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role { ROLE_NONE, ROLE_COMPUTE, ROLE_STORAGE, ROLE_MANAGEMENT, ROLE_N };

enum reason {
	REASON_DEFAULT_ROUTE,
	REASON_NUMA_GATE,
	REASON_TOPO_PIX_PXB,
	REASON_NUMA_UNKNOWN,
	REASON_BLUEFIELD_ALL_SYS,
	REASON_LINK_LAYER_INFINIBAND,
	REASON_TOPO_NODE_PHB,
	REASON_ALL_SYS_ETHERNET,
	REASON_NOT_IN_TOPOLOGY,
	REASON_VIRTUAL_FUNCTION,
	REASON_VENDOR,
	REASON_EXCLUDED,
	REASON_OVERRIDE,
	REASON_UNREADABLE,
	REASON_NO_METADATA,
	REASON_N,
};

/* What a device's row of the GPU-NIC matrix says, over all GPUs. */
struct topo_row {
	bool present;
	bool pix_or_pxb;  /* to any GPU */
	bool node_or_phb; /* to any GPU */
	bool all_sys;
};

/* What is known of one device. Nullable strings are NULL when unknown. */
struct facts {
	const char *device;
	const char *driver, *vendor, *hca_type;
	const char *link_layer; /* of port 1 */
	int64_t numa_node;      /* -1: unknown */
	bool vf;
	bool default_route; /* carries the host's default route */
	bool unreadable;    /* its record has an error */
	struct topo_row row;
};

/* What all devices are judged by. */
struct rules {
	const struct rx_list *exclusion, *inclusion; /* an empty inclusion is no override */
	const int64_t *
		gpu_numa; /* NUMA nodes of the GPUs; none are known under an override without metadata */
	size_t gpu_numa_count;
	bool no_metadata; /* by request: what rules 6 to 13 would ask is not known, and every NIC counts */
};

struct verdict {
	enum role role;
	enum reason reason;
	bool monitored;
};

/* `previous` is the verdict of the last scan in which the device could be read, or NULL. */
struct verdict classify(
	const struct facts *facts, const struct rules *rules, const struct verdict *previous);

/* As records spell them. role_name(ROLE_NONE) is NULL. */
const char *role_name(enum role role);
const char *reason_name(enum reason reason);

#endif
