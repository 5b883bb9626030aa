/* gpus - where the GPUs are, and how near the NICs are to them, kept up to date. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "gpus.h"

#include "absent.h"
#include "diag.h"
#include "hash.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* --- the first time --- */

/* Says what the roles come from where there is no file. */
static void
report_bus(const struct gpus *gpus)
{
	const struct metadata *metadata = &gpus->metadata;
	const char *path = gpus->source.path;
	if (metadata->unknown != NULL)
		diag_warn("no %s, and %s: roles come from the link layer only (nvidia-smi topo -m "
			  "may tell more, see topoparse)",
			path, metadata->unknown);
	else if (metadata->gpu_count == 0)
		diag_note("no %s, and no GPUs on the PCI bus: every NIC counts, with the role "
			  "fabric",
			path);
	else
		diag_note("no %s: where the GPUs are comes from the PCI bus", path);
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

/* --- what has changed --- */

static void
take(struct gpus *gpus, const struct metadata *fresh)
{
	metadata_fini(&gpus->metadata);
	gpus->metadata = *fresh;
	gpus->fits = false;
}

/* True when the bus had a device of that name where this one is, as far as that is known: when
 * drivers are bound again, NICs may get each other's names. */
static bool
is_in_place(const struct metadata *metadata, const struct scanrec_device *device)
{
	const char *pci = json_string_value(json_object_get(metadata->addresses, device->device));
	return pci != NULL && (device->pci == NULL || strcmp(device->pci, pci) == 0);
}

/* The NICs of the scan that the bus does not have, or not there. */
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

/* The bus is looked at again when there is a NIC that was not on it, or elsewhere; not when one is
 * missed, which would lose its row. A GPU that has gone from the bus is broken: what NICs are for
 * does not change with that. */
static void
refresh_bus(struct gpus *gpus, const struct scanbuf *scan)
{
	struct metadata fresh;
	if (hash_misplaced(gpus, scan) == gpus->misplaced)
		return;
	const char *reason = metadata_load_bus(gpus->sysfs_root, &fresh);
	if (reason == NULL && fresh.gpu_count < gpus->metadata.gpu_count) {
		metadata_fini(&fresh);
		reason = "fewer GPUs than before";
	}
	if (reason == NULL)
		take(gpus, &fresh);
	else
		diag_warn("the PCI bus: %s: keeping what was read before", reason);
	gpus->misplaced = hash_misplaced(gpus, scan);
}

/* A file that changed is read again; one that became unusable leaves what was known in force. */
static void
refresh_file(struct gpus *gpus)
{
	const char *path = gpus->source.path;
	struct metadata fresh;
	const char *reason = metadata_load(&gpus->source, &fresh);
	/* Whoever wrote it may have looked while a driver was being reloaded. */
	if (reason == NULL && json_object_size(fresh.rows) == 0 &&
		json_object_size(gpus->metadata.rows) > 0) {
		metadata_fini(&fresh);
		reason = "no NICs in it any more (\"nic_topology\" is empty)";
	}
	if (reason != NULL) {
		diag_warn("%s: %s: keeping what was read before", path, reason);
		metrics_add(gpus->refused, 1);
		return;
	}
	if (gpus->metadata.of_bus)
		diag_note("%s: read, in place of the PCI bus", path);
	else
		diag_info("%s: read again", path);
	metrics_add(gpus->taken, 1);
	take(gpus, &fresh);
}

/* Which node the metadata is of shows when there are NICs. One device that is in it is enough, for
 * good: what is left while a driver is reloaded says nothing about the others. The PCI bus is
 * another node's where records are evaluated that come from there. */
static void
compare_names(struct gpus *gpus, const struct scanbuf *scan)
{
	enum absent_fit fit = gpus->fits || gpus->metadata.rows == NULL
				      ? ABSENT_NO_NIC
				      : absent_fit(scan, &gpus->metadata);

	if (fit == ABSENT_NO_NIC)
		return;
	if (fit == ABSENT_ALL && !gpus->strangers)
		diag_warn("%s: no NIC of this node is in it: none has a role until one is",
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

/* --- what is known --- */

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
