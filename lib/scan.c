/* scan - collects the records of one scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include "array.h"
#include "hash.h"
#include "portfacts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void
scan_clear(struct scan *scan)
{
	json_decref(scan->begin_json);
	for (size_t i = 0; i < scan->device_count; i++)
		json_decref(scan->devices[i].json);
	for (size_t i = 0; i < scan->port_count; i++)
		json_decref(scan->ports[i].json);
	json_decref(scan->end_json);
	scan->begin_json = scan->end_json = NULL;
	map_clear(&scan->names);
	scan->device_count = scan->port_count = 0;
	scan->open = scan->whole = scan->complete = scan->listed = false;
}

void
scan_fini(struct scan *scan)
{
	scan_clear(scan);
	free(scan->devices);
	free(scan->ports);
	map_fini(&scan->names);
	*scan = (struct scan){0};
}

/* --- duplicates --- */

static uint64_t
name_of(const char *device, int64_t port)
{
	uint64_t hash = hash_text(HASH_START, device);
	return hash_bytes(hash, &port, sizeof port);
}

/* Check a record: it must be of this scan, and its device or port new. Return SCAN_ACCEPTED, or why
 * not. */
static enum scan_status
admit(struct scan *scan, int64_t number, const char *device, int64_t port, struct rec_error *error)
{
	uint64_t name = name_of(device, port);
	size_t step = 0;
	if (number != scan->begin.scan) {
		rec_refuse(error, "a record of another scan");
		return SCAN_BAD;
	}
	if (map_next(&scan->names, name, &step) != MAP_END) {
		rec_refuse(error, "\"%.64s\" is in this scan already", device);
		return SCAN_BAD;
	}
	/* No scan has so many: do not let a stream of ever new names take all memory. */
	if (scan->names.count == SCAN_DEVICES_MAX + SCAN_PORTS_MAX)
		return SCAN_ACCEPTED;
	return map_add(&scan->names, name, 0) == 0 ? SCAN_ACCEPTED : SCAN_NO_MEMORY;
}

static enum scan_status
accept_begin(struct scan *scan, json_t *json, struct rec_error *error)
{
	scan_clear(scan);
	if (!scanrec_decode_begin(json, &scan->begin, error))
		return SCAN_BAD;
	scan->begin_json = json;
	scan->open = scan->whole = true;
	return SCAN_ACCEPTED;
}

static enum scan_status
accept_device(struct scan *scan, json_t *json, struct rec_memo *memo, struct rec_error *error)
{
	struct scan_device device = {.json = json};

	if (!scanrec_decode_known_device(json, &device.record, memo, error))
		return SCAN_BAD;
	enum scan_status status = admit(scan, device.record.scan, device.record.device, -1, error);
	if (status != SCAN_ACCEPTED)
		return status;
	/* Too many: drop the record, and the scan is not whole. */
	if (scan->device_count == SCAN_DEVICES_MAX) {
		scan->whole = false;
		json_decref(json);
		return SCAN_ACCEPTED;
	}
	struct scan_device *devices = array_grown(
		scan->devices, scan->device_count, &scan->device_capacity, sizeof *devices);
	if (devices == NULL)
		return SCAN_NO_MEMORY;
	scan->devices = devices;
	scan->devices[scan->device_count++] = device;
	return SCAN_ACCEPTED;
}

/* Return the last device, which a port record follows, unless that device's record was lost. */
static size_t
device_of(const struct scan *scan, const struct scanrec_port *port)
{
	if (scan->device_count == 0)
		return SIZE_MAX;
	size_t last = scan->device_count - 1;
	return strcmp(scan->devices[last].record.device, port->device) == 0 ? last : SIZE_MAX;
}

static enum scan_status
accept_port(struct scan *scan, json_t *json, struct rec_memo *memo, struct rec_error *error)
{
	struct scan_port port = {.json = json};

	if (!scanrec_decode_known_port(json, &port.record, memo, error))
		return SCAN_BAD;
	enum scan_status status =
		admit(scan, port.record.scan, port.record.device, port.record.port, error);
	if (status != SCAN_ACCEPTED)
		return status;
	/* Too many: as in accept_device(). */
	if (scan->port_count == SCAN_PORTS_MAX) {
		scan->whole = false;
		json_decref(json);
		return SCAN_ACCEPTED;
	}
	struct scan_port *ports =
		array_grown(scan->ports, scan->port_count, &scan->port_capacity, sizeof *ports);
	if (ports == NULL)
		return SCAN_NO_MEMORY;
	scan->ports = ports;
	port.device = device_of(scan, &port.record);
	if (port.device != SIZE_MAX && port.record.vendor == VENDOR_OTHER) {
		const struct scanrec_device *device = &scan->devices[port.device].record;
		port.record.vendor = vendor_find(device->driver, device->vendor);
	}
	scan->ports[scan->port_count++] = port;
	return SCAN_ACCEPTED;
}

/* scan.end holds the number of records. If fewer were counted, some were lost. */
static enum scan_status
accept_end(struct scan *scan, json_t *json, struct rec_error *error)
{
	struct scanrec_end *end = &scan->end;
	scan->open = false;
	if (!scanrec_decode_end(json, end, error))
		return SCAN_BAD;
	if (end->devices != (int64_t)scan->device_count ||
		end->ports != (int64_t)scan->port_count || end->scan != scan->begin.scan)
		scan->whole = false;
	scan->complete = end->complete;
	scan->listed = end->error == NULL;
	scan->end_json = json;
	return SCAN_FINISHED;
}

/* scan_accept_known() handles the rejected and ignored records. */
static enum scan_status
gather(struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_memo *memo,
	struct rec_error *error)
{
	if (!scan->open && kind != SCANREC_BEGIN)
		return SCAN_IGNORED;
	switch (kind) {
	case SCANREC_BEGIN:
		return accept_begin(scan, json, error);
	case SCANREC_DEVICE:
		return accept_device(scan, json, memo, error);
	case SCANREC_PORT:
		return accept_port(scan, json, memo, error);
	case SCANREC_END:
		return accept_end(scan, json, error);
	case SCANREC_STALL:
	case SCANREC_OTHER:
		break;
	}
	return SCAN_IGNORED;
}

enum scan_status
scan_accept_known(struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_memo *memo,
	struct rec_error *error)
{
	enum scan_status status = gather(scan, kind, json, memo, error);
	if (status == SCAN_ACCEPTED || status == SCAN_FINISHED)
		return status;
	if (status != SCAN_IGNORED)
		scan->whole = false;
	json_decref(json);
	return status;
}

enum scan_status
scan_accept(struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_error *error)
{
	return scan_accept_known(scan, kind, json, NULL, error);
}

const struct scan_device *
scan_on_function(const struct scan *scan, const char *pci)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (portfacts_is_function(&scan->devices[i].record, pci))
			return &scan->devices[i];
	}
	return NULL;
}
