/* rolereason - explains why topoclass gave a device its role. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rolereason.h"

#include "array.h"

#include <string.h>

const char *
rolereason_words(const char *reason, bool monitored)
{
	static const char *const words[][2] = {
		{"all_sys_ethernet", "it is an Ethernet NIC, and no GPU is on its NUMA node (SYS)"},
		{"bluefield_all_sys", "it is a BlueField and no GPU is near it"},
		{"default_route", "it carries the host's default route"},
		{"efa_driver", "it is an EFA adapter"},
		{"excluded", "nicExclusionRegex matches it"},
		{"link_layer_infiniband", "its link layer is InfiniBand"},
		{"no_distances", "the PCI bus does not show its distance to the GPUs"},
		{"no_gpus", "this node has no GPUs"},
		{"no_metadata", "there is no metadata about the GPUs"},
		{"not_in_topology", "the GPU metadata does not list it"},
		{"numa_gate", "its NUMA node has no GPU"},
		{"numa_unknown", "its NUMA node is unknown, and no GPU is near it"},
		{"sub_device", "it is part of another device: its ports are planes of that "
			       "device's ports"},
		{"topo_node_phb", "a GPU is on its NUMA node, but not next to it (NODE or PHB)"},
		{"topo_pix_pxb", "a GPU is next to it (PIX or PXB)"},
		{"unreadable", "it could not be read yet"},
		{"vendor", "devices of its driver are not monitored"},
		{"virtual_function", "virtual functions and subfunctions never alert"},
	};
	if (strcmp(reason, "override") == 0)
		return monitored ? "nicInclusionRegexOverride matches it"
				 : "nicInclusionRegexOverride does not match it";
	for (size_t i = 0; i < ARRAY_COUNT(words); i++) {
		if (strcmp(reason, words[i][0]) == 0)
			return words[i][1];
	}
	return NULL;
}
