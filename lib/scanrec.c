/* scanrec - the four scan records of RECORDS.md, checked and decoded. */
#include "scanrec.h"

#include <string.h>

/* Longest strings that go into an event, which must fit into REC_EVENT_MAX_BYTES even when JSON has to escape every byte of
 * them. The kernel's own names are shorter (IB_DEVICE_NAME_MAX is 64). */
#define NAME_MAX_BYTES 64

#define COUNT(array) (sizeof(array) / sizeof *(array))

enum scanrec_kind
scanrec_kind(const json_t *record)
{
	static const char *const names[] = {
		[SCANREC_BEGIN] = "scan.begin",
		[SCANREC_DEVICE] = "device",
		[SCANREC_PORT] = "port",
		[SCANREC_END] = "scan.end",
	};
	const char *kind = rec_kind(record);
	for (size_t i = 0; i < COUNT(names); i++) {
		if (strcmp(kind, names[i]) == 0)
			return (enum scanrec_kind)i;
	}
	return SCANREC_OTHER;
}

/* Getters for fields that rec_check() has seen: an optional one that is absent leaves the default. */
static const char *
text(const json_t *record, const char *key)
{
	const char *value = NULL;
	rec_get_string(record, key, &value);
	return value;
}

static int64_t
integer(const json_t *record, const char *key, int64_t when_absent)
{
	int64_t value = when_absent;
	rec_get_int(record, key, &value);
	return value;
}

static bool
boolean(const json_t *record, const char *key, bool when_absent)
{
	bool value = when_absent;
	rec_get_bool(record, key, &value);
	return value;
}

/* CLOCK_BOOTTIME cannot be negative, and arithmetic on it, signed or not, must not wrap. */
static bool
decode_boottime(const json_t *record, uint64_t *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {{"boottime_ns", REC_INTEGER, true, 0}};
	if (rec_get_u64(record, "boottime_ns", out) == REC_OK && *out <= INT64_MAX)
		return true;
	/* Says which of the two it is: missing, or of a wrong type. */
	if (rec_check(record, fields, COUNT(fields), error)) {
		strcpy(error->reason, "\"boottime_ns\" is out of range");
		error->offset = 0;
	}
	return false;
}

bool
scanrec_decode_begin(const json_t *record, struct scanrec_begin *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, true, 0},
		{"node", REC_STRING, false, REC_NODE_MAX_BYTES},
		{"boot_id", REC_STRING, false, NAME_MAX_BYTES},
		{"ts", REC_STRING, true, NAME_MAX_BYTES},
		{"interval_ms", REC_INTEGER, false, 0},
	};
	if (!rec_check(record, fields, COUNT(fields), error) ||
		!decode_boottime(record, &out->boottime_ns, error))
		return false;
	out->scan = integer(record, "scan", 0);
	out->node = text(record, "node");
	out->boot_id = text(record, "boot_id");
	out->ts = text(record, "ts");
	out->interval_ms = integer(record, "interval_ms", 0);
	return true;
}

bool
scanrec_decode_device(const json_t *record, struct scanrec_device *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, true, 0},
		{"device", REC_STRING, true, NAME_MAX_BYTES},
		{"pci", REC_STRING, false, NAME_MAX_BYTES},
		{"vendor", REC_STRING, false, 0},
		{"driver", REC_STRING, false, 0},
		{"hca_type", REC_STRING, false, 0},
		{"numa_node", REC_INTEGER, false, 0},
		{"vf", REC_BOOL, false, 0},
		{"netdevs", REC_ARRAY, false, 0},
		{"ports", REC_INTEGER, true, 0},
		{"error", REC_STRING, false, 0},
		{"role", REC_STRING, false, NAME_MAX_BYTES},
		{"reason", REC_STRING, false, NAME_MAX_BYTES},
		{"card", REC_STRING, false, NAME_MAX_BYTES},
		{"monitored", REC_BOOL, false, 0},
	};
	if (!rec_check(record, fields, COUNT(fields), error))
		return false;
	out->scan = integer(record, "scan", 0);
	out->device = text(record, "device");
	out->pci = text(record, "pci");
	out->vendor = text(record, "vendor");
	out->driver = text(record, "driver");
	out->hca_type = text(record, "hca_type");
	out->fw_ver = text(record, "fw_ver");
	out->board_id = text(record, "board_id");
	out->node_guid = text(record, "node_guid");
	out->error = text(record, "error");
	out->numa_node = integer(record, "numa_node", -1);
	out->vf = boolean(record, "vf", false);
	const json_t *netdevs = json_object_get(record, "netdevs");
	out->netdevs = json_is_array(netdevs) ? netdevs : NULL;
	out->ports = integer(record, "ports", 0);
	out->role = text(record, "role");
	out->reason = text(record, "reason");
	out->card = text(record, "card");
	out->monitored = boolean(record, "monitored", true);
	return true;
}

/* What is not a positive number is not known. */
static double
positive(const json_t *record, const char *key)
{
	double value = json_number_value(json_object_get(record, key));
	return value > 0 ? value : 0;
}

/* An optional object: NULL for null as for absent. */
static const json_t *
object(const json_t *record, const char *key)
{
	const json_t *value = json_object_get(record, key);
	return json_is_object(value) ? value : NULL;
}

bool
scanrec_decode_port(const json_t *record, struct scanrec_port *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, true, 0},
		{"ts", REC_STRING, true, NAME_MAX_BYTES},
		{"device", REC_STRING, true, NAME_MAX_BYTES},
		{"port", REC_INTEGER, true, 0},
		{"link_layer", REC_STRING, false, 0},
		{"state", REC_STRING, false, 0},
		{"phys_state", REC_STRING, false, 0},
		{"state_id", REC_INTEGER, false, 0},
		{"phys_state_id", REC_INTEGER, false, 0},
		{"operstate", REC_STRING, false, 0},
		{"counters", REC_OBJECT, false, 0},
		{"hw_counters", REC_OBJECT, false, 0},
		{"net", REC_OBJECT, false, 0},
		{"role", REC_STRING, false, NAME_MAX_BYTES},
		{"monitored", REC_BOOL, false, 0},
	};
	if (!rec_check(record, fields, COUNT(fields), error) ||
		!decode_boottime(record, &out->boottime_ns, error))
		return false;
	out->scan = integer(record, "scan", 0);
	out->ts = text(record, "ts");
	out->device = text(record, "device");
	out->port = integer(record, "port", 0);
	if (out->port < 0 || out->port > INT32_MAX) {
		strcpy(error->reason, "\"port\" is out of range");
		error->offset = 0;
		return false;
	}
	out->link_layer = text(record, "link_layer");
	out->state = text(record, "state");
	out->phys_state = text(record, "phys_state");
	out->operstate = text(record, "operstate");
	out->netdev = text(record, "netdev");
	out->rate = text(record, "rate");
	out->rate_gbps = positive(record, "rate_gbps");
	out->state_id = integer(record, "state_id", -1);
	out->phys_state_id = integer(record, "phys_state_id", -1);
	out->counters = object(record, "counters");
	out->hw_counters = object(record, "hw_counters");
	out->net = object(record, "net");
	out->gids = object(record, "gids");
	out->role = text(record, "role");
	out->card = text(record, "card");
	out->monitored = boolean(record, "monitored", true);
	return true;
}

bool
scanrec_decode_end(const json_t *record, struct scanrec_end *out, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"scan", REC_INTEGER, true, 0},
		{"devices", REC_INTEGER, true, 0},
		{"ports", REC_INTEGER, true, 0},
		{"complete", REC_BOOL, true, 0},
		{"error", REC_STRING, false, 0},
	};
	if (!rec_check(record, fields, COUNT(fields), error))
		return false;
	out->scan = integer(record, "scan", 0);
	out->ts = text(record, "ts");
	out->devices = integer(record, "devices", 0);
	out->ports = integer(record, "ports", 0);
	out->duration_us = integer(record, "duration_us", -1);
	out->complete = boolean(record, "complete", false);
	out->error = text(record, "error");
	const json_t *unbound = json_object_get(record, "unbound");
	out->unbound = json_is_array(unbound) ? unbound : NULL;
	return true;
}
