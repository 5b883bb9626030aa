/* gpus - where the GPUs are, and how near the NICs are to them, as far as it is known: read at the
 * start, and kept up to date while scans come (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_GPUS_H
#define TOPOCLASS_GPUS_H

#include "metadata.h"
#include "metrics.h"
#include "scanbuf.h"

struct gpus {
	const char *sysfs_root; /* whose PCI bus counts where there is no file; NULL: none does */
	bool is_asked;          /* otherwise nothing is ever read */
	struct metadata_source source; /* the file */
	struct metadata metadata;
	uint64_t misplaced; /* NICs, hashed, that are not on the PCI bus, or are elsewhere */
	bool fits;          /* a device of this node is in the metadata */
	bool strangers;     /* no device is, and that has been said */
	struct metrics_cell *taken, *refused; /* files that had changed; nullable */
};

/* Reads the file, or the PCI bus where there is none and it counts, and says on stderr if it is the
 * bus. Returns NULL, or the reason why neither will do; then gpus->source.error is that of
 * metadata_load(). */
const char *gpus_load(struct gpus *gpus);

/* Reads again what has changed, before the devices of a scan are classified. What cannot be used
 * any more leaves what was known in force, with a warning. */
void gpus_refresh(struct gpus *gpus, const struct scanbuf *scan);

enum nearness gpus_nearness(const struct gpus *gpus);

void gpus_fini(struct gpus *gpus);

#endif
