/* scan - one scan, gathered from its records. */
#include "scan.h"

#include "array.h"
#include "hash.h"

#include <stdint.h>
#include <stdio.h>
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
	if (scan->names != NULL)
		memset(scan->names, 0, scan->name_capacity * sizeof *scan->names);
	scan->device_count = scan->port_count = 0;
	scan->open = scan->whole = scan->complete = scan->listed = false;
}

void
scan_fini(struct scan *scan)
{
	scan_clear(scan);
	free(scan->devices);
	free(scan->ports);
	free(scan->names);
	*scan = (struct scan){0};
}

/* --- what is given twice --- */

static uint64_t
name_of(const char *device, int64_t port)
{
	uint64_t hash = hash_bytes(HASH_START, device, strlen(device) + 1);
	hash = hash_bytes(hash, &port, sizeof port);
	return hash != 0 ? hash : 1;
}

/* True when it was there; otherwise it is now. There is room. */
static bool
find_or_add(uint64_t *names, size_t capacity, uint64_t name)
{
	size_t at = name & (capacity - 1);
	while (names[at] != 0 && names[at] != name)
		at = (at + 1) & (capacity - 1);
	bool found = names[at] == name;
	names[at] = name;
	return found;
}

/* Room for one name more, at most half of it used. */
static int
make_room(struct scan *scan)
{
	size_t used = scan->device_count + scan->port_count;
	if (2 * (used + 1) <= scan->name_capacity)
		return 0;
	size_t capacity = scan->name_capacity == 0 ? 128 : 2 * scan->name_capacity;
	uint64_t *names = calloc(capacity, sizeof *names);
	if (names == NULL)
		return -1;
	for (size_t i = 0; i < scan->name_capacity; i++) {
		if (scan->names[i] != 0)
			find_or_add(names, capacity, scan->names[i]);
	}
	free(scan->names);
	scan->names = names;
	scan->name_capacity = capacity;
	return 0;
}

/* A device or port counts once, and a record only in its own scan: SCAN_TAKEN, or why not. */
static enum scan_status
admit(struct scan *scan, int64_t number, const char *device, int64_t port, struct rec_error *error)
{
	if (make_room(scan) < 0)
		return SCAN_NO_MEMORY;
	error->offset = 0;
	if (number != scan->begin.scan) {
		snprintf(error->reason, sizeof error->reason, "a record of another scan");
		return SCAN_BAD;
	}
	if (find_or_add(scan->names, scan->name_capacity, name_of(device, port))) {
		snprintf(error->reason, sizeof error->reason, "\"%.64s\" is in this scan already",
			device);
		return SCAN_BAD;
	}
	return SCAN_TAKEN;
}

static enum scan_status
take_begin(struct scan *scan, json_t *json, struct rec_error *error)
{
	scan_clear(scan);
	if (!scanrec_decode_begin(json, &scan->begin, error)) {
		json_decref(json);
		return SCAN_BAD;
	}
	scan->begin_json = json;
	scan->open = scan->whole = true;
	return SCAN_TAKEN;
}

static enum scan_status
take_device(struct scan *scan, json_t *json, struct rec_error *error)
{
	struct scan_device device = {.json = json};

	enum scan_status status = SCAN_BAD;
	if (!scanrec_decode_device(json, &device.record, error))
		goto failed;
	status = admit(scan, device.record.scan, device.record.device, -1, error);
	if (status != SCAN_TAKEN)
		goto failed;
	if (scan->device_count == SCAN_DEVICES_MAX)
		goto failed; /* not gathered, and the scan not whole */
	status = SCAN_NO_MEMORY;
	struct scan_device *devices = array_grown(
		scan->devices, scan->device_count, &scan->device_capacity, sizeof *devices);
	if (devices == NULL)
		goto failed;
	scan->devices = devices;
	scan->devices[scan->device_count++] = device;
	return SCAN_TAKEN;

failed:
	scan->whole = false;
	json_decref(json);
	return status;
}

/* A port's device is the one before it, unless that record was lost. */
static size_t
device_of(const struct scan *scan, const struct scanrec_port *port)
{
	size_t last = scan->device_count - 1;
	if (scan->device_count > 0 && strcmp(scan->devices[last].record.device, port->device) == 0)
		return last;
	return SIZE_MAX;
}

static enum scan_status
take_port(struct scan *scan, json_t *json, struct rec_error *error)
{
	struct scan_port port = {.json = json};

	enum scan_status status = SCAN_BAD;
	if (!scanrec_decode_port(json, &port.record, error))
		goto failed;
	status = admit(scan, port.record.scan, port.record.device, port.record.port, error);
	if (status != SCAN_TAKEN)
		goto failed;
	status = SCAN_NO_MEMORY;
	if (scan->port_count == SCAN_PORTS_MAX)
		goto failed;
	struct scan_port *ports =
		array_grown(scan->ports, scan->port_count, &scan->port_capacity, sizeof *ports);
	if (ports == NULL)
		goto failed;
	scan->ports = ports;
	port.device = device_of(scan, &port.record);
	scan->ports[scan->port_count++] = port;
	return SCAN_TAKEN;

failed:
	scan->whole = false;
	json_decref(json);
	return status;
}

/* The end says how many records there were: whoever counted fewer has lost some. */
static enum scan_status
take_end(struct scan *scan, json_t *json, struct rec_error *error)
{
	struct scanrec_end *end = &scan->end;
	scan->open = false;
	if (!scanrec_decode_end(json, end, error)) {
		scan->whole = false;
		json_decref(json);
		return SCAN_BAD;
	}
	if (end->devices != (int64_t)scan->device_count ||
		end->ports != (int64_t)scan->port_count || end->scan != scan->begin.scan)
		scan->whole = false;
	scan->complete = end->complete;
	scan->listed = end->error == NULL;
	scan->end_json = json;
	return SCAN_FINISHED;
}

enum scan_status
scan_take(struct scan *scan, enum scanrec_kind kind, json_t *json, struct rec_error *error)
{
	if (kind == SCANREC_BEGIN)
		return take_begin(scan, json, error);
	if (!scan->open) {
		json_decref(json);
		return SCAN_IGNORED;
	}
	switch (kind) {
	case SCANREC_DEVICE:
		return take_device(scan, json, error);
	case SCANREC_PORT:
		return take_port(scan, json, error);
	case SCANREC_END:
		return take_end(scan, json, error);
	case SCANREC_BEGIN:
	case SCANREC_OTHER:
		break;
	}
	json_decref(json);
	return SCAN_IGNORED;
}
