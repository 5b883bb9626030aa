/* classify - the role of a NIC: spec#role-rules as a pure function of facts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_CLASSIFY_H
#define TOPOCLASS_CLASSIFY_H

#include "rx.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum role { ROLE_NONE, ROLE_COMPUTE, ROLE_STORAGE, ROLE_MANAGEMENT, ROLE_FABRIC, ROLE_N };

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
	REASON_SUB_DEVICE,
	REASON_EFA_DRIVER,
	REASON_NO_GPUS,
	REASON_NO_DISTANCES,
	REASON_N,
};

/* A device's row of the GPU-NIC matrix, summarized over all GPUs. */
struct topo_row {
	bool present;
	bool pix_or_pxb;  /* to any GPU */
	bool node_or_phb; /* to any GPU */
	bool all_sys;
	/* No GPU is in its PCI domain, so that at most a NUMA node relates it to them, as with
	 * Grace CPUs: nvidia-smi shows SYS there. Only known from the PCI bus. */
	bool apart;
};

struct verdict {
	enum role role;
	enum reason reason;
	bool monitored;
};

/* The facts about one device. Strings are NULL when unknown. */
struct facts {
	const char *device;
	const char *driver, *vendor, *hca_type;
	const char *link_layer; /* of port 1 */
	int64_t numa_node;      /* -1: unknown */
	bool vf;
	bool default_route;           /* carries the host's default route */
	bool unreadable;              /* its record has an error */
	bool sub;                     /* it is a part of another device */
	const struct verdict *parent; /* verdict on that device; NULL: not known */
	struct topo_row row;
};

/* Whether the distances between NICs and GPUs are known, which rules 6 to 14 need. */
enum nearness {
	NEARNESS_KNOWN,
	NEARNESS_NOT_ASKED, /* --no-metadata: every NIC counts */
	NEARNESS_NO_GPUS,   /* no GPUs: every NIC counts */
	NEARNESS_UNKNOWN,   /* distances cannot be determined */
};

/* Settings and metadata for all devices. */
struct rules {
	const struct rx_list *exclusion, *inclusion; /* an empty inclusion is no override */
	/* NUMA nodes of the GPUs; empty with an override and no metadata */
	const int64_t *gpu_numa;
	size_t gpu_numa_count;
	bool strangers; /* the metadata has no NIC of this node, so its rows do not apply */
	enum nearness nearness;
};

/* Classify a device. `previous`: the verdict of the last scan in which it was readable, or NULL. */
struct verdict classify(
	const struct facts *facts, const struct rules *rules, const struct verdict *previous);

/* Return true for mlx5_<n>, the kernel's own name, which identifies the device when its driver and
 * vendor are unknown. */
bool classify_has_mlx5_name(const char *device);

/* Return the names used in records. NULL for ROLE_NONE. */
const char *classify_role_name(enum role role);
const char *classify_reason_name(enum reason reason);

#endif
