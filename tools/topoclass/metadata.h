/* metadata - where the GPUs are, and how near each NIC is to them: gpu_metadata.json, or what the
 * PCI bus has (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_METADATA_H
#define TOPOCLASS_METADATA_H

#include "classify.h"

#include <jansson.h>
#include <sys/stat.h>

/* More would not be a node: the largest have a few hundred functions, and dozens of GPUs. */
#define METADATA_MAX_BYTES (16 << 20)

struct metadata {
	int64_t *gpu_numa; /* ascending, each once */
	size_t gpu_numa_count;
	size_t gpu_count;
	json_t *rows;        /* nic_topology's valid rows; NULL when there are none to go by */
	json_t *addresses;   /* device -> PCI address that its row is of; NULL: none is known */
	json_t *unbound;     /* of NICs without a driver, by their addresses; NULL: none is known */
	bool of_bus;         /* and not of a file: NICs that are not there are not in it */
	const char *unknown; /* why the PCI bus does not say how near anything is; NULL: it does */
};

/* What one scan is evaluated by. */
struct criteria {
	const struct rules *rules;
	const struct metadata *metadata;
	const char *default_interface; /* NULL: no default route is known */
	bool names_devices;            /* rules say by name which count, and not as defaults */
};

/* Where a file's content comes from: enough to see that it changed. */
struct metadata_source {
	const char *path;
	struct stat seen; /* of the latest attempt to read it */
	bool ever_seen;
	int error; /* why it could not be read at the latest attempt; 0: it could */
};

/* Takes the facts out of parsed metadata. Returns NULL, or the reason why it will not do (then
 * `*out` is empty). Rows that are not one known word per GPU are left out and named on stderr. Free
 * with metadata_fini(). */
const char *metadata_decode(const json_t *root, struct metadata *out);

/* Reads and decodes the file, unless others could have written it (ownfile): it decides which NIC's
 * faults are fatal. Returns NULL or the reason, which belongs to a static buffer. */
const char *metadata_load(struct metadata_source *source, struct metadata *out);

/* The same of what the PCI bus has, in sysfs at `root_name`, which may have no GPUs. If it does not
 * say how near anything is, there are no rows. */
const char *metadata_load_bus(const char *root_name, struct metadata *out);

/* True when the file is not the one that was read last. */
bool metadata_changed(const struct metadata_source *source);

/* The row of a device, and of a NIC without a driver, at that address. */
struct topo_row metadata_row(const struct metadata *metadata, const char *device);
struct topo_row metadata_unbound_row(const struct metadata *metadata, const char *pci);

void metadata_fini(struct metadata *metadata);

#endif
