/* record - scan records from readings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "parse.h"
#include "rec.h"
#include "utf8.h"

#include <limits.h>
#include <math.h>
#include <string.h>

json_t *
record_name_new(const char *name)
{
	char clean[3 * NAME_MAX + 1];
	utf8_sanitize(name, strlen(name), clean, sizeof clean);
	return json_string(clean);
}

json_t *
record_begin_new(uint64_t scan, const char *node, const char *boot_id, uint64_t interval_ms,
	const struct clock_moment *when)
{
	return json_pack("{s:s, s:i, s:I, s:o, s:s?, s:s, s:I, s:I}", "kind", "scan.begin", "v", 1,
		"scan", (json_int_t)scan, "node", record_name_new(node), "boot_id", boot_id, "ts",
		when->stamp, "boottime_ns", (json_int_t)when->boottime_ns, "interval_ms",
		(json_int_t)interval_ms);
}

static json_t *
netdevs_new(const struct identity *identity)
{
	json_t *netdevs = json_array();
	for (size_t i = 0; identity != NULL && i < identity->netdev_count; i++) {
		const struct netdev *netdev = &identity->netdevs[i];
		json_t *uppers = json_array();
		for (size_t u = 0; u < netdev->uppers.count; u++)
			json_array_append_new(uppers, json_string(netdev->uppers.names[u]));
		json_array_append_new(
			netdevs, json_pack("{s:s, s:o}", "name", netdev->name, "uppers", uppers));
	}
	return netdevs;
}

/* NULL, so that it is left out, when it is not known. */
static json_t *
sight_new(enum chardev_sight sight)
{
	return sight != CHARDEV_UNKNOWN ? json_boolean(sight == CHARDEV_PRESENT) : NULL;
}

json_t *
record_device_new(uint64_t scan, const char *name, const struct identity *identity, size_t ports,
	enum chardev_sight uverbs, const char *error, const struct in_flight *in_flight)
{
	static const struct identity unknown = {.numa_node = -1};
	const struct identity *known = identity != NULL ? identity : &unknown;

	json_t *record =
		json_pack("{s:s, s:I, s:o, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, "
			  "s:s?, s:o?, s:I, s:b, s:s?, s:o?, s:o, s:I, s:o*, s:s*}",
			"kind", "device", "scan", (json_int_t)scan, "device", record_name_new(name),
			"pci", known->pci, "vendor", known->vendor, "driver", known->driver,
			"driver_version", known->driver_version, "hca_type", known->hca_type,
			"fw_ver", known->fw_ver, "board_id", known->board_id, "node_guid",
			known->node_guid, "pci_link_speed", known->link_speed, "pci_link_width",
			known->link_width > 0 ? json_integer(known->link_width) : NULL, "numa_node",
			(json_int_t)known->numa_node, "vf", known->vf, "physfn", known->physfn,
			"parent", known->parent != NULL ? record_name_new(known->parent) : NULL,
			"netdevs", netdevs_new(identity), "ports", (json_int_t)ports, "uverbs",
			sight_new(uverbs), "error", error);
	if (record != NULL && in_flight != NULL) {
		json_object_set_new(
			record, "in_flight_ms", json_integer((json_int_t)in_flight->ms));
		json_object_set_new(record, "in_flight",
			json_string(in_flight->reads_counters ? "counter" : "state"));
	}
	return record;
}

json_t *
record_stall_new(const char *node, uint64_t in_flight_ms, const struct clock_moment *when)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I}", "kind", "scan.stall", "node", node, "ts",
		when->stamp, "boottime_ns", (json_int_t)when->boottime_ns, "in_flight_ms",
		(json_int_t)in_flight_ms);
}

/* --- setting what may have changed: a record is kept from scan to scan, and most of it stays as it
 * was --- */

/* A text, null for NULL. */
static void
set_text(json_t *record, const char *key, const char *text)
{
	const json_t *present = json_object_get(record, key);
	const char *before = json_string_value(present);

	if (text != NULL ? before != NULL && strcmp(before, text) == 0 : json_is_null(present))
		return;
	json_object_set_new(record, key, text != NULL ? json_string(text) : json_null());
}

/* A number, null when it is not known. */
static void
set_integer(json_t *record, const char *key, bool known, int64_t value)
{
	json_t *present = json_object_get(record, key);

	if (known && json_is_integer(present))
		json_integer_set(present, value);
	else if (known || !json_is_null(present))
		json_object_set_new(record, key, known ? json_integer(value) : json_null());
}

static const char *
text_of(const struct text_value *value)
{
	return value->present ? value->text : NULL;
}

/* `4: ACTIVE` as a name and a number; a text without a number is a name only. */
static void
set_state(json_t *record, const char *key, const char *id_key, const struct text_value *value)
{
	int64_t id = 0;
	const char *name;
	bool numbered = value->present && parse_numbered(value->text, &id, &name);

	set_text(record, key, numbered ? name : text_of(value));
	set_integer(record, id_key, numbered, id);
}

static void
set_rate(json_t *record, const struct text_value *rate)
{
	double gbps = 0;
	bool known = rate->present && parse_rate_gbps(rate->text, &gbps);

	/* 400 rather than 400.0, but 2.5. */
	if (known && (floor(gbps) != gbps || gbps > 1e9))
		json_object_set_new(record, "rate_gbps", json_real(gbps));
	else
		set_integer(record, "rate_gbps", known, (int64_t)gbps);
	set_text(record, "rate", text_of(rate));
}

static void
set_lid(json_t *record, const char *key, const struct text_value *lid)
{
	int64_t value = 0;
	bool known = lid->present && parse_lid(lid->text, &value);
	set_integer(record, key, known, value);
}

/* What is not known is left out. */
static void
set_sight(json_t *record, const char *key, enum chardev_sight sight)
{
	if (sight == CHARDEV_UNKNOWN)
		json_object_del(record, key);
	else
		json_object_set_new(record, key, sight_new(sight));
}

/* A counter in its map. */
static void
set_counter(json_t *map, const struct counter_slot *slot)
{
	json_t *present = json_object_get(map, slot->file);

	if (!slot->has_value)
		json_object_del(map, slot->file);
	else if (json_is_integer(present) && slot->value <= INT64_MAX)
		json_integer_set(present, (json_int_t)slot->value);
	else
		json_object_set_new(map, slot->file, rec_u64_new(slot->value));
}

static json_t *
port_new(const char *device, const struct port *port)
{
	json_t *record = json_pack(
		"{s:s, s:i, s:s, s:I, s:o, s:I, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, s:n, "
		"s:o, s:n, s:{}, s:{}, s:{}}",
		"kind", "port", "scan", 0, "ts", "", "boottime_ns", (json_int_t)0, "device",
		record_name_new(device), "port", (json_int_t)port->number, "link_layer", "state",
		"state_id", "phys_state", "phys_state_id", "rate_gbps", "rate", "lid", "sm_lid",
		"netdev", port->netdev != NULL ? record_name_new(port->netdev) : json_null(),
		"operstate", "counters", "hw_counters", "net");
	if (port->shows_device)
		json_object_set_new(record, counter_group_key(COUNTER_DEVICE_HW), json_object());
	return record;
}

json_t *
record_port(uint64_t scan, const char *device, struct port *port, bool gids)
{
	if (port->record == NULL)
		port->record = port_new(device, port);
	json_t *record = port->record;
	if (record == NULL)
		return NULL;

	set_integer(record, "scan", true, (int64_t)scan);
	set_text(record, "ts", port->when.stamp);
	set_integer(record, "boottime_ns", true, (int64_t)port->when.boottime_ns);
	set_text(record, "link_layer", text_of(&port->link_layer));
	set_state(record, "state", "state_id", &port->state);
	set_state(record, "phys_state", "phys_state_id", &port->phys_state);
	set_rate(record, &port->rate);
	set_lid(record, "lid", &port->lid);
	set_lid(record, "sm_lid", &port->sm_lid);
	set_text(record, "operstate", text_of(&port->operstate));
	set_sight(record, "umad", port->umad);
	set_sight(record, "issm", port->issm);
	if (port->has_carrier)
		set_integer(record, "carrier", true, port->carrier);
	else
		json_object_del(record, "carrier");
	if (gids && !port->gids.known)
		json_object_set_new(record, "gids", json_null());
	else if (gids)
		json_object_set_new(record, "gids",
			json_pack("{s:i, s:i, s:i}", "total", (int)port->gids.total, "ipv4_mapped",
				(int)port->gids.ipv4_mapped, "roce_v2", (int)port->gids.roce_v2));

	json_t *maps[COUNTER_GROUP_N];
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++)
		maps[group] = json_object_get(record, counter_group_key(group));
	for (size_t i = 0; i < port->slot_count; i++)
		set_counter(maps[port->slots[i].group], &port->slots[i]);
	return record;
}

json_t *
record_end_new(uint64_t scan, const struct record_end *end)
{
	bool complete = end->error == NULL && json_array_size(end->unreadable) == 0;
	return json_pack(
		"{s:s, s:I, s:s, s:I, s:I, s:I, s:b, s:o, s:I, s:o*, s:o*, s:s*, s:s*, s:s*}",
		"kind", "scan.end", "scan", (json_int_t)scan, "ts", end->when.stamp, "boottime_ns",
		(json_int_t)end->when.boottime_ns, "devices", (json_int_t)end->devices, "ports",
		(json_int_t)end->ports, "complete", complete, "unreadable", end->unreadable,
		"duration_us", (json_int_t)end->duration_us, "unbound", end->unbound, "functions",
		end->functions, "verbs_error", end->verbs_error, "mad_error", end->mad_error,
		"error", end->error);
}
