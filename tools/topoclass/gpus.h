/* gpus - locations of the GPUs and distances of the NICs to them: loaded at the start and refreshed
 * with each scan (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_GPUS_H
#define TOPOCLASS_GPUS_H

#include "metadata.h"
#include "metrics.h"
#include "scanbuf.h"

struct gpus {
	const char *sysfs_root; /* sysfs of the PCI bus, used if there is no file; NULL: never */
	bool is_asked;          /* false: never read anything */
	struct metadata_source source; /* the file */
	struct metadata metadata;
	uint64_t misplaced;  /* hash of the NICs that are not on the PCI bus, or elsewhere on it */
	unsigned since_lost; /* scans since a reading lacked a GPU; 0: the last one did not */
	bool fits;           /* a device of this node is in the metadata */
	bool strangers;      /* no device is, and a warning was printed */
	struct metrics_cell *taken, *refused; /* changed files accepted, rejected; nullable */
};

/* Read the file, or the PCI bus if the file does not exist and the bus may be used; then print that
 * the bus is used. Return NULL, or the reason why neither is usable, and gpus->source.error as
 * metadata_load(). */
const char *gpus_load(struct gpus *gpus);

/* Read again what changed. Call this before a scan's devices are classified. If the new content is
 * unusable, the old one stays in force, with a warning. */
void gpus_refresh(struct gpus *gpus, const struct scanbuf *scan);

/* Return what is known of how near the NICs are to the GPUs. */
enum nearness gpus_nearness(const struct gpus *gpus);

void gpus_fini(struct gpus *gpus);

#endif
