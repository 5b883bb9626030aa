/* absent - NICs that a scan lacks, by the GPU metadata or for want of a driver, and which of them
 * are lost beyond doubt. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ABSENT_H
#define TOPOCLASS_ABSENT_H

#include "memory.h"
#include "metadata.h"
#include "scanbuf.h"

/* The names in the metadata that the scan does not have: an array of strings for the caller to
 * free, or NULL when memory ran out. Names that the configuration leaves out are not among them,
 * and neither are devices that were parts of others when last seen, because those come and go. */
json_t *absent_new(
	const struct scanbuf *scan, const struct criteria *criteria, const struct memory *memory);

enum absent_fit {
	ABSENT_NO_NIC, /* the scan has none that may count, by its driver or name */
	ABSENT_SOME,   /* some device of the scan is in the metadata */
	ABSENT_ALL,    /* none is: it is another node's, or from before they all got other names */
};

/* Whether the metadata can be this node's. */
enum absent_fit absent_fit(const struct scanbuf *scan, const struct metadata *metadata);

/* Those of `absent` that served the GPUs, as far as the metadata and the other NICs show, and the
 * PCI addresses of those NICs without a driver that would serve them; none in a scan that is not
 * whole, or could not list the devices. A name that may be a management NIC's, a virtual
 * function's, another vendor's, or an old name of a NIC that is there is not among them, because
 * whoever hears of a loss drains the node. `memory` has the verdicts of this scan's devices. An
 * array of strings for the caller to free, or NULL when memory ran out. */
json_t *absent_lost_new(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const json_t *absent);

#endif
