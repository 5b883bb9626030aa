/* scan - one scan, gathered from its records. */
#include "scan.h"

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
	scan->begin_json = NULL;
	scan->device_count = scan->port_count = 0;
	scan->open = scan->whole = scan->complete = scan->listed = false;
}

void
scan_fini(struct scan *scan)
{
	scan_clear(scan);
	free(scan->devices);
	free(scan->ports);
	*scan = (struct scan){0};
}

/* Room for one more item of `size` bytes; the array doubles. */
static int
grow(void **items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return 0;
	size_t wanted = *capacity == 0 ? 32 : 2 * *capacity;
	void *grown = realloc(*items, wanted * size);
	if (grown == NULL)
		return -1;
	*items = grown;
	*capacity = wanted;
	return 0;
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
	status = SCAN_TAKEN;
	if (scan->device_count == SCAN_DEVICES_MAX)
		goto failed; /* not gathered, and the scan not whole */
	status = SCAN_NO_MEMORY;
	if (grow((void **)&scan->devices, scan->device_count, &scan->device_capacity,
		    sizeof device) < 0)
		goto failed;
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
	status = SCAN_NO_MEMORY;
	if (scan->port_count == SCAN_PORTS_MAX || grow((void **)&scan->ports, scan->port_count,
							  &scan->port_capacity, sizeof port) < 0)
		goto failed;
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
	struct scanrec_end end;
	bool decoded = scanrec_decode_end(json, &end, error);
	if (!decoded || end.devices != (int64_t)scan->device_count ||
		end.ports != (int64_t)scan->port_count || end.scan != scan->begin.scan)
		scan->whole = false;
	scan->complete = decoded && end.complete;
	scan->listed = decoded && end.error == NULL;
	scan->open = false;
	json_decref(json);
	return decoded ? SCAN_FINISHED : SCAN_BAD;
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
