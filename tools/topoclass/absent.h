/* absent - NICs that a scan lacks although the metadata has them or their function is there without
 * an RDMA device, and which of them are certainly lost. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ABSENT_H
#define TOPOCLASS_ABSENT_H

#include "memory.h"
#include "metadata.h"
#include "scanbuf.h"

/* Return the names in the metadata that the scan does not have: an array of strings for the caller
 * to free, or NULL when memory ran out. Omits names that the configuration excludes, devices in
 * other network namespaces, and devices that were parts of others when last seen, because those
 * come and go. */
json_t *absent_new(
	const struct scanbuf *scan, const struct criteria *criteria, const struct memory *memory);

enum absent_fit {
	ABSENT_NO_NIC, /* the scan has no NIC that could be in the metadata, by vendor or name */
	ABSENT_SOME,   /* some device of the scan is in the metadata */
	ABSENT_ALL,    /* none is: the metadata is another node's, or all NICs were renamed */
};

/* Return whether the metadata can be this node's. */
enum absent_fit absent_fit(const struct scanbuf *scan, const struct metadata *metadata);

/* Return those of `absent` that served the GPUs, as far as the metadata and the other NICs show,
 * and the PCI addresses of NICs without an RDMA device that would serve them: an array of strings
 * for the caller to free, or NULL when memory ran out. The array is empty if the scan is incomplete
 * or could not list the devices. Omits names that may be a management NIC's, a virtual function's,
 * another vendor's, the old name of a NIC in the scan, or that of one passed to a virtual machine,
 * because a reported loss drains the node. `memory` must have the verdicts of this scan's devices.
 */
json_t *absent_lost_new(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const json_t *absent);

#endif
