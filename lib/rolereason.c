/* rolereason - explains why topoclass gave a device its role. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "rolereason.h"

#include <string.h>

const char *
rolereason_words(const char *reason, bool monitored)
{
	static const char *const words[][2] = {
		{"all_sys_ethernet", "it is Ethernet's, and no GPU is on its NUMA node (SYS)"},
		{"bluefield_all_sys", "it is a BlueField that is near no GPU"},
		{"default_route", "it carries the host's default route"},
		{"efa_driver", "it is an EFA adapter"},
		{"excluded", "nicExclusionRegex names it"},
		{"link_layer_infiniband", "its link is InfiniBand's"},
		{"no_distances", "the PCI bus does not show how near it is to GPUs"},
		{"no_gpus", "this node has no GPUs"},
		{"no_metadata", "nobody has said where the GPUs are"},
		{"not_in_topology", "the GPU metadata does not have it"},
		{"numa_gate", "its NUMA node has no GPU"},
		{"numa_unknown", "its NUMA node is not known, and it is near no GPU"},
		{"sub_device", "it is a part of another, and its ports are planes of that one's"},
		{"topo_node_phb", "a GPU is on its NUMA node, but not next to it (NODE or PHB)"},
		{"topo_pix_pxb", "a GPU is next to it (PIX or PXB)"},
		{"unreadable", "it could not be read yet"},
		{"vendor", "its driver is none whose devices are watched"},
		{"virtual_function", "virtual functions and subfunctions never alert"},
	};
	if (strcmp(reason, "override") == 0)
		return monitored ? "nicInclusionRegexOverride names it"
				 : "nicInclusionRegexOverride does not name it";
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(reason, words[i][0]) == 0)
			return words[i][1];
	}
	return NULL;
}
