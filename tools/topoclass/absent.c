/* absent - NICs that a scan lacks although the metadata has them or their function is there without
 * an RDMA device, and which of them are certainly lost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "absent.h"

#include "portfacts.h"
#include "text.h"
#include "vendor.h"

#include <string.h>

/* A NIC that is near no GPU counts as watched only if at least this many similar NICs are. */
#define LIKE_IT_MIN 2

/* --- absent NICs --- */

static bool
is_in_scan(const struct scanbuf *scan, const char *name)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->lines[i].kind == SCANREC_DEVICE &&
			strcmp(scan->lines[i].device.device, name) == 0)
			return true;
	}
	return false;
}

/* Return true if the configuration does not exclude a device of this name. */
static bool
takes_part(const struct rules *rules, const char *name)
{
	return rules->inclusion->count > 0 ? rx_list_match(rules->inclusion, name)
					   : !rx_list_match(rules->exclusion, name);
}

/* Return true if the device was moved to another network namespace: it is not absent. */
static bool
is_elsewhere(const struct scanbuf *scan, const char *name)
{
	return rec_has_text(scanbuf_in_end(scan, "elsewhere"), name);
}

json_t *
absent_new(const struct scanbuf *scan, const struct criteria *criteria, const struct memory *memory)
{
	json_t *absent = json_array(), *row;
	const char *name;
	json_object_foreach (criteria->metadata->rows, name, row) {
		if (!is_in_scan(scan, name) && !is_elsewhere(scan, name) &&
			takes_part(criteria->rules, name) &&
			json_object_get(memory->subs, name) == NULL)
			json_array_append_new(absent, json_string(name));
	}
	return absent;
}

/* Return true if metadata of this node names the device. It need not name EFA adapters. */
static bool
should_be_named(const struct scanrec_device *device)
{
	const enum vendor vendor = vendor_find(device->driver, device->vendor);
	return !device->vf && device->parent == NULL &&
	       (classify_has_mlx5_name(device->device) ||
		       (vendor != VENDOR_OTHER && vendor != VENDOR_AMAZON));
}

enum absent_fit
absent_fit(const struct scanbuf *scan, const struct metadata *metadata)
{
	enum absent_fit fit = ABSENT_NO_NIC;
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanrec_device *device = &scan->lines[i].device;
		if (scan->lines[i].kind != SCANREC_DEVICE)
			continue;
		if (json_object_get(metadata->rows, device->device) != NULL)
			return ABSENT_SOME;
		if (should_be_named(device))
			fit = ABSENT_ALL;
	}
	return fit;
}

/* --- lost NICs --- */

/* What the devices of the scan show about all absent ones. */
struct others {
	/* The scan has a device that the metadata does not name, of NVIDIA or of another vendor: it
	 * may be an absent NIC under another name. */
	bool strangers, foreign_strangers;
	bool virtual_ones; /* the metadata names virtual functions, which come and go */
	/* the device with the default route is known, and is not an absent one */
	bool route_known;
};

/* Return true if NICs have this driver: NVIDIA's, or another one that a device of the scan has. */
static bool
is_driver_of_nics(const struct scanbuf *scan, const char *driver)
{
	bool found = strcmp(driver, "mlx5_core") == 0;
	for (size_t i = 0; i < scan->count && !found; i++)
		found = scan->lines[i].kind == SCANREC_DEVICE &&
			text_equals(scan->lines[i].device.driver, driver);
	return found;
}

/* Return true if a function on the bus has the NICs' driver but no RDMA device in this scan. */
static bool
is_half_device(const struct scanbuf *scan, const json_t *function)
{
	const char *pci = json_string_value(json_object_get(function, "pci"));
	const char *driver = json_string_value(json_object_get(function, "driver"));
	bool found = pci == NULL || driver == NULL || !is_driver_of_nics(scan, driver);

	for (size_t n = 0; n < scan->count && !found; n++) {
		const struct scanbuf_line *line = &scan->lines[n];
		found = line->kind == SCANREC_DEVICE && portfacts_is_function(&line->device, pci);
	}
	return !found;
}

/* Return true if there is one: an absent NIC may then still have its interface. */
static bool
has_half_devices(const struct scanbuf *scan)
{
	const json_t *functions = scanbuf_in_end(scan, "functions"), *function;
	size_t i;

	json_array_foreach (functions, i, function) {
		if (is_half_device(scan, function))
			return true;
	}
	return false;
}

/* The GPU-NIC matrix may lack EFA adapters. */
static void
add_stranger(struct others *others, const struct scanrec_device *device)
{
	switch (vendor_find(device->driver, device->vendor)) {
	case VENDOR_AMAZON:
		break;
	case VENDOR_AMD:
	case VENDOR_BROADCOM:
	case VENDOR_INTEL:
		others->foreign_strangers = true;
		break;
	case VENDOR_NVIDIA:
	case VENDOR_OTHER:
		others->strangers = true;
		break;
	}
}

static struct others
look_at_others(
	const struct scanbuf *scan, const struct criteria *criteria, const struct memory *memory)
{
	/* The kernel removes a route with its interface, so the interface of a default route is not
	 * on a NIC that is gone. But of a bond's members some may be gone. Once a route has shown
	 * this, it remains so when the route is away: `memory` has every NIC that came since. */
	struct others others = {.route_known = criteria->last_interface != NULL};
	bool elsewhere = true;

	for (size_t i = 0; i < scan->count; i++) {
		const struct scanrec_device *device = &scan->lines[i].device;
		struct verdict verdict;
		if (scan->lines[i].kind != SCANREC_DEVICE)
			continue;
		bool named = json_object_get(criteria->metadata->rows, device->device) != NULL;
		bool known = memory_verdict(memory, device->device, &verdict);
		others.virtual_ones |= device->vf && named;
		if (!device->vf && device->parent == NULL && !named &&
			!(known && verdict.reason == REASON_VENDOR))
			add_stranger(&others, device);
		if (!others.route_known || !known || verdict.reason != REASON_DEFAULT_ROUTE)
			continue;
		others.route_known = scanbuf_has_interface(device, criteria->last_interface, false);
		elsewhere = false;
	}
	if (elsewhere && has_half_devices(scan))
		others.route_known = false;
	return others;
}

/* Return the length of the part of a name that shows the kind of device: everything up to the
 * number in `mlx5_3`; in names made of an address, such as `rocep24s0` or `ibP2p3s0`, everything
 * before the first digit. */
static size_t
sort_length(const char *name)
{
	const char *line = strrchr(name, '_');
	return line != NULL ? (size_t)(line + 1 - name) : strcspn(name, "0123456789");
}

static bool
are_of_a_sort(const char *a, const char *b)
{
	size_t length = sort_length(a);
	return length > 0 && length == sort_length(b) && strncasecmp(a, b, length) == 0;
}

/* Return true if both have the same distances to the GPUs. */
static bool
are_as_near(const struct topo_row *a, const struct topo_row *b)
{
	return a->present && b->present && a->pix_or_pxb == b->pix_or_pxb &&
	       a->node_or_phb == b->node_or_phb && a->all_sys == b->all_sys;
}

/* How many similar NICs of the scan are watched or not. */
struct like_it {
	size_t watched, unwatched;
};

/* `name` is NULL if the NIC's name is unknown: then names are not compared. */
static struct like_it
count_like_it(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const char *name, const struct topo_row *row)
{
	struct like_it like_it = {0};

	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		struct verdict verdict;
		if (line->kind != SCANREC_DEVICE || line->device.error != NULL ||
			line->device.parent != NULL ||
			(name != NULL && !are_of_a_sort(name, line->device.device)) ||
			!memory_verdict(memory, line->device.device, &verdict))
			continue;
		const struct topo_row other = metadata_row(criteria->metadata, line->device.device);
		/* These roles do not depend on the location; in a PCI domain without GPUs, a
		 * BlueField's depends on its model. */
		if (!are_as_near(row, &other) || verdict.reason == REASON_DEFAULT_ROUTE ||
			verdict.reason == REASON_EXCLUDED ||
			(row->apart && verdict.reason == REASON_BLUEFIELD_ALL_SYS))
			continue;
		if (verdict.monitored)
			like_it.watched++;
		else
			like_it.unwatched++;
	}
	return like_it;
}

/* Return true if a NIC at this location serves the GPUs, whatever its name. `ours`: it is
 * NVIDIA's. */
static bool
serves_gpus(
	const struct topo_row *row, const struct others *others, struct like_it like_it, bool ours)
{
	/* A GPU's own switch has no management NIC. */
	if (row->pix_or_pxb)
		return ours;
	if (!others->route_known || like_it.unwatched > 0)
		return false;
	if (row->node_or_phb)
		return ours;
	return row->all_sys && like_it.watched >= LIKE_IT_MIN;
}

/* Return true if the NIC's function was passed on. While its address is unknown, any function that
 * was passed on may be the NIC's. */
static bool
may_be_passed_on(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const char *name)
{
	const json_t *functions = scanbuf_in_end(scan, "functions"), *function;
	const json_t *at = json_object_get(memory->addresses, name);
	size_t i;

	if (at == NULL)
		at = json_object_get(criteria->metadata->addresses, name);
	json_array_foreach (functions, i, function) {
		const char *driver = json_string_value(json_object_get(function, "driver"));
		if (scanrec_is_passed_on(driver) &&
			(at == NULL || json_equal(at, json_object_get(function, "pci"))))
			return true;
	}
	return false;
}

static bool
is_lost(const struct scanbuf *scan, const struct criteria *criteria, const struct memory *memory,
	const struct others *others, const char *name)
{
	const struct topo_row row = metadata_row(criteria->metadata, name);
	struct verdict seen;

	if (others->foreign_strangers && !classify_has_mlx5_name(name))
		return false;
	if (may_be_passed_on(scan, criteria, memory, name))
		return false;
	if (memory_verdict(memory, name, &seen))
		return seen.monitored;
	if (criteria->rules->inclusion->count > 0)
		return true;
	if (others->virtual_ones)
		return false;
	struct like_it like_it = count_like_it(scan, criteria, memory, name, &row);
	return serves_gpus(
		&row, others, like_it, classify_has_mlx5_name(name) || like_it.watched > 0);
}

/* Return true if the scan has a device on another function of the card. */
static bool
has_sibling(const struct scanbuf *scan, const char *pci)
{
	const size_t length = strcspn(pci, ".");
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		if (line->kind == SCANREC_DEVICE && line->device.pci != NULL &&
			strncmp(line->device.pci, pci, length) == 0)
			return true;
	}
	return false;
}

/* The same for a function without a device. Its device's name is unknown, and so is whether the
 * configuration names it. Without RDMA devices it may be another vendor's plain NIC, unless it is
 * on a GPU's own switch. With a driver it may be part of a bond of its card, or its device may be
 * in another network namespace. */
static bool
is_lost_function(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const struct others *others, const json_t *function)
{
	const char *pci = json_string_value(json_object_get(function, "pci"));
	if (pci == NULL || criteria->names_devices)
		return false;
	const struct topo_row row = metadata_unbound_row(criteria->metadata, pci);
	if (!row.present)
		return false;
	const struct like_it like_it = count_like_it(scan, criteria, memory, NULL, &row);
	if (json_is_null(json_object_get(function, "driver")))
		return (row.pix_or_pxb || rec_has_text(scanbuf_in_end(scan, "unbound"), pci)) &&
		       serves_gpus(&row, others, like_it, true);
	return row.pix_or_pxb && like_it.watched >= LIKE_IT_MIN && is_half_device(scan, function) &&
	       !has_sibling(scan, pci) && json_array_size(scanbuf_in_end(scan, "elsewhere")) == 0;
}

/* Return true if the scan has every device of class/infiniband. */
static bool
is_whole(const struct scanbuf *scan)
{
	struct scanrec_end end;
	struct rec_error error;
	int64_t devices = 0;
	bool whole = false;

	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		devices += line->kind == SCANREC_DEVICE;
		if (line->kind == SCANREC_END && scanrec_decode_end(line->json, &end, &error))
			whole = end.error == NULL && end.devices == devices;
	}
	return whole;
}

json_t *
absent_lost_new(const struct scanbuf *scan, const struct criteria *criteria,
	const struct memory *memory, const json_t *absent)
{
	json_t *lost = json_array(), *name;
	const json_t *functions = scanbuf_in_end(scan, "functions"), *function;
	size_t i;
	if (!is_whole(scan))
		return lost;
	const struct others others = look_at_others(scan, criteria, memory);
	if (others.strangers)
		return lost;
	json_array_foreach (absent, i, name) {
		if (is_lost(scan, criteria, memory, &others, json_string_value(name)))
			json_array_append(lost, name);
	}
	json_array_foreach (functions, i, function) {
		if (is_lost_function(scan, criteria, memory, &others, function))
			json_array_append(lost, json_object_get(function, "pci"));
	}
	return lost;
}
