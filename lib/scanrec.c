/* scanrec - checks and decodes the scan records (records#scan-records). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanrec.h"

#include "array.h"
#include "efa.h"
#include "layer.h"
#include "words.h"

#include <stddef.h>
#include <string.h>

/* Longest string that goes into an event: REC_EVENT_MAX_BYTES must suffice even if JSON escapes
 * every byte. The kernel's own names are shorter (IB_DEVICE_NAME_MAX is 64). */
#define NAME_MAX_BYTES 64

enum scanrec_kind
scanrec_kind(const json_t *record)
{
	static const char *const names[] = {
		[SCANREC_BEGIN] = "scan.begin",
		[SCANREC_DEVICE] = "device",
		[SCANREC_PORT] = "port",
		[SCANREC_END] = "scan.end",
		[SCANREC_STALL] = "scan.stall",
	};
	_Static_assert(ARRAY_COUNT(names) == SCANREC_OTHER, "what is none of them is another");
	return (enum scanrec_kind)words_find(names, ARRAY_COUNT(names), rec_kind(record));
}

/* Target of a field. */
#define AT(kind, member) .target = offsetof(struct scanrec_##kind, member)

#define MUST .required = true
#define SHORT .max_bytes = NAME_MAX_BYTES
#define FILLED .filled = true

bool
scanrec_decode_begin(const json_t *record, struct scanrec_begin *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, AT(begin, scan), MUST},
		{"node", REC_STRING, AT(begin, node), .max_bytes = REC_NODE_MAX_BYTES},
		{"boot_id", REC_STRING, AT(begin, boot_id), SHORT},
		{"ts", REC_STRING, AT(begin, ts), MUST, SHORT},
		{"interval_ms", REC_INTEGER, AT(begin, interval_ms)},
		{"extra", REC_BOOL, AT(begin, extra)},
		{"boottime_ns", REC_BOOTTIME, AT(begin, boottime_ns), MUST},
	};
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), out, error))
		return false;
	/* An empty one would look like another boot, and standing faults would be dropped. */
	if (out->boot_id != NULL && *out->boot_id == '\0')
		out->boot_id = NULL;
	return true;
}

/* A value that is neither true nor false is unknown. */
static enum chardev_sight
sight(const json_t *present)
{
	if (!json_is_boolean(present))
		return CHARDEV_UNKNOWN;
	return json_is_true(present) ? CHARDEV_PRESENT : CHARDEV_MISSING;
}

/* A device and its values that need more than rec_decode_known(). */
struct device_values {
	struct scanrec_device device;
	const json_t *uverbs;
};

bool
scanrec_decode_known_device(const json_t *record, struct scanrec_device *out, struct rec_memo *memo,
	struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, AT(device, scan), MUST},
		{"device", REC_STRING, AT(device, device), MUST, SHORT, FILLED},
		{"pci", REC_STRING, AT(device, pci), SHORT},
		{"vendor", REC_STRING, AT(device, vendor)},
		{"driver", REC_STRING, AT(device, driver)},
		{"driver_version", REC_STRING, AT(device, driver_version), .lenient = true},
		{"hca_type", REC_STRING, AT(device, hca_type)},
		{"fw_ver", REC_STRING, AT(device, fw_ver), .lenient = true},
		{"board_id", REC_STRING, AT(device, board_id), .lenient = true},
		{"node_guid", REC_STRING, AT(device, node_guid), .lenient = true},
		{"pci_link_speed", REC_STRING, AT(device, pci_link_speed), .lenient = true},
		{"pci_link_width", REC_INTEGER, AT(device, pci_link_width), .lenient = true},
		{"numa_node", REC_INTEGER, AT(device, numa_node), .absent = -1},
		{"vf", REC_BOOL, AT(device, vf)},
		{"parent", REC_STRING, AT(device, parent), .lenient = true},
		{"netdevs", REC_ARRAY, AT(device, netdevs)},
		{"ports", REC_INTEGER, AT(device, ports), MUST},
		{"error", REC_STRING, AT(device, error)},
		{"in_flight_ms", REC_INTEGER, AT(device, in_flight_ms), .lenient = true,
			.absent = -1},
		{"in_flight", REC_STRING, AT(device, in_flight), .lenient = true},
		{"role", REC_STRING, AT(device, role), SHORT},
		{"reason", REC_STRING, AT(device, reason), SHORT},
		{"card", REC_STRING, AT(device, card), SHORT},
		{"monitored", REC_BOOL, AT(device, monitored), .absent = true},
		{"uverbs", REC_VALUE, .target = offsetof(struct device_values, uverbs)},
	};
	struct device_values values = {.uverbs = NULL};
	if (!rec_decode_known(record, fields, ARRAY_COUNT(fields), &values, memo, error))
		return false;
	*out = values.device;
	out->uverbs = sight(values.uverbs);
	return true;
}

bool
scanrec_decode_device(const json_t *record, struct scanrec_device *out, struct rec_error *error)
{
	return scanrec_decode_known_device(record, out, NULL, error);
}

/* Return 0, unknown, unless it is a positive number. */
static double
positive(const json_t *value)
{
	return json_number_value(value) > 0 ? json_number_value(value) : 0;
}

/* A port and its values that need more than rec_decode_known(). */
struct port_values {
	struct scanrec_port port;
	const json_t *rate_gbps, *umad, *issm;
};

/* The EFA driver always shows ACTIVE and LinkUp: derive the state from the network interface. */
static void
decode_efa_state(struct scanrec_port *port)
{
	static const struct {
		const char *state, *phys_state;
		int64_t state_id, phys_state_id;
	} states[] = {
		[EFA_UP] = {"ACTIVE", "LinkUp", 4, 5},
		[EFA_DOWN] = {"DOWN", "LinkDown", 1, -1},
		[EFA_UNKNOWN] = {NULL, NULL, -1, -1},
	};
	enum efa_sight sight = efa_port_eval(port->netdev, port->operstate, port->carrier);

	/* A state that could not be read may mean that the port is gone: keep it NULL. */
	if (port->state == NULL || port->phys_state == NULL)
		return;
	port->state = states[sight].state;
	port->phys_state = states[sight].phys_state;
	port->state_id = states[sight].state_id;
	port->phys_state_id = states[sight].phys_state_id;
}

bool
scanrec_decode_known_port(const json_t *record, struct scanrec_port *out, struct rec_memo *memo,
	struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, AT(port, scan), MUST},
		{"ts", REC_STRING, AT(port, ts), MUST, SHORT},
		{"device", REC_STRING, AT(port, device), MUST, SHORT, FILLED},
		{"port", REC_INTEGER, AT(port, port), MUST},
		{"link_layer", REC_STRING, AT(port, link_layer)},
		{"state", REC_STRING, AT(port, state)},
		{"phys_state", REC_STRING, AT(port, phys_state)},
		{"state_id", REC_INTEGER, AT(port, state_id), .absent = -1},
		{"phys_state_id", REC_INTEGER, AT(port, phys_state_id), .absent = -1},
		{"operstate", REC_STRING, AT(port, operstate)},
		{"carrier", REC_INTEGER, AT(port, carrier), .lenient = true, .absent = -1},
		{"netdev", REC_STRING, AT(port, netdev), .lenient = true},
		{"rate", REC_STRING, AT(port, rate), .lenient = true},
		{"lid", REC_INTEGER, AT(port, lid), .lenient = true},
		{"counters", REC_OBJECT, AT(port, counters)},
		{"hw_counters", REC_OBJECT, AT(port, hw_counters)},
		{"device_hw_counters", REC_OBJECT, AT(port, device_hw_counters)},
		{"net", REC_OBJECT, AT(port, net)},
		{"gids", REC_OBJECT, AT(port, gids), .lenient = true},
		{"role", REC_STRING, AT(port, role), SHORT},
		{"card", REC_STRING, AT(port, card), .lenient = true},
		{"monitored", REC_BOOL, AT(port, monitored), .absent = true},
		{"boottime_ns", REC_BOOTTIME, AT(port, boottime_ns), MUST},
		{"rate_gbps", REC_VALUE, .target = offsetof(struct port_values, rate_gbps)},
		{"umad", REC_VALUE, .target = offsetof(struct port_values, umad)},
		{"issm", REC_VALUE, .target = offsetof(struct port_values, issm)},
	};
	struct port_values values = {.umad = NULL};
	if (!rec_decode_known(record, fields, ARRAY_COUNT(fields), &values, memo, error))
		return false;
	*out = values.port;
	out->rate_gbps = positive(values.rate_gbps);
	out->umad = sight(values.umad);
	out->issm = sight(values.issm);
	bool efa = layer_find(out->link_layer) == LAYER_EFA;
	out->vendor = efa ? VENDOR_AMAZON : VENDOR_OTHER;
	if (efa)
		decode_efa_state(out);
	if (out->port >= 0 && out->port <= INT32_MAX)
		return true;
	rec_refuse(error, "\"port\" is out of range");
	return false;
}

bool
scanrec_decode_port(const json_t *record, struct scanrec_port *out, struct rec_error *error)
{
	return scanrec_decode_known_port(record, out, NULL, error);
}

bool
scanrec_decode_end(const json_t *record, struct scanrec_end *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, AT(end, scan), MUST},
		{"ts", REC_STRING, AT(end, ts), .lenient = true},
		{"devices", REC_INTEGER, AT(end, devices), MUST},
		{"ports", REC_INTEGER, AT(end, ports), MUST},
		{"duration_us", REC_INTEGER, AT(end, duration_us), .lenient = true, .absent = -1},
		{"complete", REC_BOOL, AT(end, complete), MUST},
		{"error", REC_STRING, AT(end, error)},
		{"unbound", REC_ARRAY, AT(end, unbound), .lenient = true},
		{"functions", REC_ARRAY, AT(end, functions), .lenient = true},
		{"elsewhere", REC_ARRAY, AT(end, elsewhere), .lenient = true},
		{"verbs_error", REC_STRING, AT(end, verbs_error), .lenient = true},
		{"mad_error", REC_STRING, AT(end, mad_error), .lenient = true},
	};
	return rec_decode(record, fields, ARRAY_COUNT(fields), out, error);
}

bool
scanrec_decode_stall(const json_t *record, struct scanrec_stall *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"node", REC_STRING, AT(stall, node), .max_bytes = REC_NODE_MAX_BYTES},
		{"ts", REC_STRING, AT(stall, ts), MUST, SHORT},
		{"in_flight_ms", REC_INTEGER, AT(stall, in_flight_ms), MUST},
		{"boottime_ns", REC_BOOTTIME, AT(stall, boottime_ns), MUST},
	};
	return rec_decode(record, fields, ARRAY_COUNT(fields), out, error);
}

enum scanrec_function
scanrec_function(const struct scanrec_end *end, const char *pci, const char **driver)
{
	enum scanrec_function found =
		end->functions != NULL ? SCANREC_FUNCTION_OFF : SCANREC_FUNCTION_UNKNOWN;
	size_t i;
	const json_t *function;

	*driver = NULL;
	json_array_foreach (end->functions, i, function) {
		const char *address = json_string_value(json_object_get(function, "pci"));
		const json_t *name = json_object_get(function, "driver");
		/* An invalid entry could be that of any function. */
		if (address == NULL)
			found = SCANREC_FUNCTION_UNKNOWN;
		else if (strcmp(address, pci) == 0) {
			*driver = json_string_value(name);
			return *driver != NULL      ? SCANREC_FUNCTION_BOUND
			       : json_is_null(name) ? SCANREC_FUNCTION_UNBOUND
						    : SCANREC_FUNCTION_UNKNOWN;
		}
	}
	return found;
}

bool
scanrec_is_passed_on(const char *driver)
{
	static const char *const drivers[] = {"vfio-pci", "uio_pci_generic", "igb_uio", "pci-stub"};
	return driver != NULL &&
	       words_find(drivers, ARRAY_COUNT(drivers), driver) < ARRAY_COUNT(drivers);
}
