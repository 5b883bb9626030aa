/* gpus - locations of the GPUs and distances of the NICs to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "gpus.h"

#include "absent.h"
#include "diag.h"
#include "hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- loading --- */

/* Print that the roles come from the PCI bus. */
static void
report_bus(const struct gpus *gpus)
{
	const struct metadata *metadata = &gpus->metadata;
	const char *path = gpus->source.path;
	if (metadata->unknown != NULL)
		diag_warn("no %s, and %s: roles come from the link layer only (nvidia-smi topo -m "
			  "may show more, see topoparse)",
			path, metadata->unknown);
	else if (metadata->gpu_count == 0)
		diag_note("no %s, and no GPUs on the PCI bus: every NIC is monitored, with the "
			  "role fabric",
			path);
	else
		diag_note("no %s: taking the places of the GPUs from the PCI bus", path);
}

const char *
gpus_load(struct gpus *gpus)
{
	const char *reason = metadata_load(&gpus->source, &gpus->metadata);
	if (reason == NULL || gpus->sysfs_root == NULL || gpus->source.error != ENOENT)
		return reason;
	const char *bus_reason = metadata_load_bus(gpus->sysfs_root, &gpus->metadata);
	if (bus_reason != NULL) {
		static char both[200];
		snprintf(both, sizeof both, "%s, and the PCI bus below %s: %s", reason,
			gpus->sysfs_root, bus_reason);
		return both;
	}
	report_bus(gpus);
	return NULL;
}

/* --- refreshing --- */

static void
adopt(struct gpus *gpus, const struct metadata *fresh)
{
	metadata_fini(&gpus->metadata);
	gpus->metadata = *fresh;
	gpus->fits = false;
	gpus->since_lost = 0;
}

/* Return true if the bus had a device of this name at this PCI address. Drivers that are bound
 * again may exchange the NICs' names. */
static bool
is_in_place(const struct metadata *metadata, const struct scanrec_device *device)
{
	const char *pci = json_string_value(json_object_get(metadata->addresses, device->device));
	return pci != NULL && (device->pci == NULL || strcmp(device->pci, pci) == 0);
}

/* Hash the NICs of the scan that are not on the bus, or elsewhere on it. */
static uint64_t
hash_misplaced(const struct gpus *gpus, const struct scanbuf *scan)
{
	uint64_t hash = HASH_START;
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanrec_device *device = &scan->lines[i].device;
		if (scan->lines[i].kind == SCANREC_DEVICE && !is_in_place(&gpus->metadata, device))
			hash = hash_bytes(hash, device->device, strlen(device->device) + 1);
	}
	return hash;
}

/* A reading that had lost a GPU is repeated after so many scans. */
#define RETRY_SCANS 60

/* Read the bus again when a NIC appears that was not on it, or moves. Do not read it again for a
 * missing NIC, whose row would be lost. A GPU that left the bus is broken: the NICs' roles stay.
 * But it may come back, and then the NIC needs its row. */
static void
refresh_bus(struct gpus *gpus, const struct scanbuf *scan)
{
	struct metadata fresh;
	bool retry = gpus->since_lost > 0 && gpus->since_lost++ % RETRY_SCANS == 0;
	if (hash_misplaced(gpus, scan) == gpus->misplaced && !retry)
		return;
	const char *reason = metadata_load_bus(gpus->sysfs_root, &fresh);
	if (reason == NULL && fresh.gpu_count < gpus->metadata.gpu_count) {
		metadata_fini(&fresh);
		reason = "fewer GPUs than before";
		gpus->since_lost = retry ? gpus->since_lost : 1;
	}
	if (reason == NULL)
		adopt(gpus, &fresh);
	else if (!retry)
		diag_warn("the PCI bus: %s: keeping the previous data", reason);
	gpus->misplaced = hash_misplaced(gpus, scan);
}

/* Read a changed file again. If it is unusable, the old content stays in force. */
static void
refresh_file(struct gpus *gpus)
{
	const char *path = gpus->source.path;
	struct metadata fresh;
	const char *reason = metadata_load(&gpus->source, &fresh);
	/* The writer may have read the bus during a driver reload. */
	if (reason == NULL && json_object_size(fresh.rows) == 0 &&
		json_object_size(gpus->metadata.rows) > 0) {
		metadata_fini(&fresh);
		reason = "no NICs in it any more (\"nic_topology\" is empty)";
	}
	if (reason != NULL) {
		diag_warn("%s: %s: keeping the previous data", path, reason);
		metrics_add(gpus->refused, 1);
		return;
	}
	if (gpus->metadata.of_bus)
		diag_note("%s: now read instead of the PCI bus", path);
	else
		diag_info("%s: read again", path);
	metrics_add(gpus->taken, 1);
	adopt(gpus, &fresh);
}

/* Check whether the metadata belongs to this node. One NIC of a scan that is in it is proof for
 * good: the NICs that are left during a driver reload prove nothing about the others. The PCI bus
 * is another node's when records of another node are evaluated. */
static void
compare_names(struct gpus *gpus, const struct scanbuf *scan)
{
	enum absent_fit fit = gpus->fits || gpus->metadata.rows == NULL
				      ? ABSENT_NO_NIC
				      : absent_fit(scan, &gpus->metadata);

	if (fit == ABSENT_NO_NIC)
		return;
	if (fit == ABSENT_ALL && !gpus->strangers)
		diag_warn("%s: it lists no NIC of this node: no NIC has a role until it does",
			gpus->metadata.of_bus ? "the PCI bus" : gpus->source.path);
	gpus->fits = fit == ABSENT_SOME;
	gpus->strangers = fit == ABSENT_ALL;
}

void
gpus_refresh(struct gpus *gpus, const struct scanbuf *scan)
{
	if (!gpus->is_asked)
		return;
	if (metadata_changed(&gpus->source))
		refresh_file(gpus);
	if (gpus->metadata.of_bus)
		refresh_bus(gpus, scan);
	compare_names(gpus, scan);
}

/* --- result --- */

enum nearness
gpus_nearness(const struct gpus *gpus)
{
	if (!gpus->is_asked)
		return NEARNESS_NOT_ASKED;
	if (!gpus->metadata.of_bus)
		return NEARNESS_KNOWN;
	if (gpus->metadata.unknown != NULL)
		return NEARNESS_UNKNOWN;
	return gpus->metadata.gpu_count == 0 ? NEARNESS_NO_GPUS : NEARNESS_KNOWN;
}

void
gpus_fini(struct gpus *gpus)
{
	metadata_fini(&gpus->metadata);
}
