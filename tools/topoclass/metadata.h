/* metadata - locations of the GPUs and distances of the NICs to them, from gpu_metadata.json or the
 * PCI bus (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_METADATA_H
#define TOPOCLASS_METADATA_H

#include "classify.h"

#include <jansson.h>
#include <sys/stat.h>

/* Larger than any node needs: the largest have a few hundred functions and dozens of GPUs. */
#define METADATA_MAX_BYTES (16 << 20)

struct metadata {
	int64_t *gpu_numa; /* ascending, without duplicates */
	size_t gpu_numa_count;
	size_t gpu_count;
	size_t unplaced_count; /* GPUs whose NUMA node is not known */
	json_t *rows;          /* valid rows of nic_topology; NULL: none */
	json_t *addresses;     /* device -> PCI address of its row; NULL: not known */
	json_t *bus_gpus;      /* each with its `pci_address`; NULL: not from the PCI bus */
	json_t *unbound;       /* PCI address -> row of a NIC without a device; NULL: not known */
	bool of_bus;           /* from the PCI bus, so absent NICs are not in it */
	const char *unknown;   /* why the PCI bus does not show distances; NULL: it does */
};

/* The input for evaluating one scan, besides its records. */
struct criteria {
	const struct rules *rules;
	const struct metadata *metadata;
	const char *default_interface; /* NULL: no default route is known to exist now */
	const char *last_interface;    /* of the last default route; NULL: none before */
	bool names_devices; /* the configuration selects NICs by name, not just by its defaults */
};

/* The file, with what is needed to detect a change. */
struct metadata_source {
	const char *path;
	struct stat seen; /* at the latest attempt to read it */
	bool ever_seen;
	int error; /* errno of the latest attempt; 0: none */
};

/* Extract the facts from parsed metadata. Return NULL, or the reason why it is unusable (then
 * `*out` is empty). Rows that are not one known word per GPU are skipped with a warning. Free with
 * metadata_fini(). */
const char *metadata_decode(const json_t *root, struct metadata *out);

/* Read and decode the file. Rejects a file that others could have written (ownfile), because it
 * decides which NICs' faults are fatal. Return NULL, or the reason in a static buffer. */
const char *metadata_load(struct metadata_source *source, struct metadata *out);

/* The same for the PCI bus, in sysfs at `root_name`; it may have no GPUs. If it does not show
 * distances, there are no rows. */
const char *metadata_load_bus(const char *root_name, struct metadata *out);

/* Return true if the file changed since it was last read. */
bool metadata_changed(const struct metadata_source *source);

/* Return the row of a device, or of a NIC without a device at that PCI address. */
struct topo_row metadata_row(const struct metadata *metadata, const char *device);
struct topo_row metadata_unbound_row(const struct metadata *metadata, const char *pci);

void metadata_fini(struct metadata *metadata);

#endif
