/* record - builds scan records, except those of ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "jsonout.h"
#include "num.h"
#include "rec.h"
#include "utf8.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>

json_t *
record_name_new(const char *name)
{
	char clean[3 * NAME_MAX + 1];
	utf8_sanitize(name, strlen(name), clean, sizeof clean);
	return json_string(clean);
}

/* Append a text of any bytes as a JSON string. */
static void
add_string(struct strbuf *line, const char *string)
{
	jsonout_string(&(struct jsonout){.text = line}, string);
}

static const char *
extra_mark(bool extra)
{
	return extra ? ",\"extra\":true" : "";
}

int
record_begin_line(struct strbuf *line, uint64_t scan, const struct record_begin *begin)
{
	strbuf_clear(line);
	strbuf_addf(line, "{\"kind\":\"scan.begin\",\"v\":1,\"scan\":%" PRIu64 ",\"node\":", scan);
	add_string(line, begin->node);
	strbuf_addf(line, ",\"boot_id\":");
	if (begin->boot_id != NULL)
		add_string(line, begin->boot_id);
	else
		strbuf_addf(line, "null");
	strbuf_addf(line,
		",\"ts\":\"%s\",\"boottime_ns\":%" PRIu64 ",\"interval_ms\":%" PRIu64 "%s}\n",
		begin->when.stamp, begin->when.boottime_ns, begin->interval_ms,
		extra_mark(begin->extra));
	return line->is_short ? -1 : 0;
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
			netdevs, json_pack("{s:s, s:o, s:o*}", "name", netdev->name, "uppers",
					 uppers, "bonded", netdev->bonded ? json_true() : NULL));
	}
	return netdevs;
}

/* Return NULL, so that the member is omitted, if unknown. */
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

/* The beginning of a device's record; the scan number follows. */
#define DEVICE_HEAD "{\"kind\":\"device\",\"scan\":"

/* Store the record after the scan number. Release `record`, which may be NULL. Return 0, or -1. */
static int
keep_rest(struct strbuf *rest, json_t *record)
{
	struct strbuf line = {0};
	int status = record != NULL ? rec_add_line(&line, record) : -1;
	json_decref(record);
	strbuf_clear(rest);
	if (status == 0)
		strbuf_add(rest, line.bytes + strlen(DEVICE_HEAD "0"),
			line.length - strlen(DEVICE_HEAD "0"));
	strbuf_fini(&line);
	return status == 0 && !rest->is_short ? 0 : -1;
}

int
record_device_line(struct strbuf *line, uint64_t scan, struct device *device, size_t ports)
{
	struct device_text *text = &device->text;
	char number[NUM_U64_SIZE];

	if (text->rest.length == 0 || text->identity != device->identity_number ||
		text->ports != ports || text->uverbs != device->uverbs) {
		if (keep_rest(&text->rest, record_device_new(0, device->name, device->identity,
						   ports, device->uverbs, NULL, NULL)) < 0)
			return -1;
		text->identity = device->identity_number;
		text->ports = ports;
		text->uverbs = device->uverbs;
	}
	strbuf_clear(line);
	strbuf_add(line, DEVICE_HEAD, strlen(DEVICE_HEAD));
	strbuf_add(line, number, num_format_u64(scan, number));
	strbuf_add(line, text->rest.bytes, text->rest.length);
	return line->is_short ? -1 : 0;
}

json_t *
record_stall_new(const char *node, uint64_t in_flight_ms, const struct clock_moment *when)
{
	return json_pack("{s:s, s:s, s:s, s:I, s:I}", "kind", "scan.stall", "node", node, "ts",
		when->stamp, "boottime_ns", (json_int_t)when->boottime_ns, "in_flight_ms",
		(json_int_t)in_flight_ms);
}

void
record_list_name(struct strbuf *list, const char *name)
{
	if (list->length > 0)
		strbuf_add(list, ",", 1);
	add_string(list, name);
}

static void
add_error(struct strbuf *line, const char *key, const char *error)
{
	if (error != NULL)
		strbuf_addf(line, ",\"%s\":\"%s\"", key, error);
}

int
record_end_line(struct strbuf *line, uint64_t scan, const struct record_end *end)
{
	bool complete = end->error == NULL && *end->unreadable == '\0';

	strbuf_clear(line);
	strbuf_addf(line,
		"{\"kind\":\"scan.end\",\"scan\":%" PRIu64 ",\"ts\":\"%s\",\"boottime_ns\":%" PRIu64
		",\"devices\":%zu,\"ports\":%zu,\"complete\":%s,\"unreadable\":[%s],\"duration_"
		"us\":%" PRIu64,
		scan, end->when.stamp, end->when.boottime_ns, end->devices, end->ports,
		complete ? "true" : "false", end->unreadable, end->duration_us);
	/* Long, and the same in most scans: not through a format, which costs ten times as much. */
	strbuf_add(line, end->functions, strlen(end->functions));
	if (end->elsewhere != NULL && *end->elsewhere != '\0')
		strbuf_addf(line, ",\"elsewhere\":[%s]", end->elsewhere);
	add_error(line, "verbs_error", end->verbs_error);
	add_error(line, "mad_error", end->mad_error);
	add_error(line, "error", end->error);
	strbuf_addf(line, "%s}\n", extra_mark(end->extra));
	return line->is_short ? -1 : 0;
}
