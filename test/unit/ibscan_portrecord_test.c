/* Unit tests of ibscan's portrecord: its text equals jansson's for the same values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/portrecord.h"

#include "check.h"
#include "rec.h"

#include <string.h>

#define SLOTS_MAX 8

/* The texts of sysfs, NULL for a missing file, and the resulting members of the record. */
struct row {
	const char *device, *netdev;
	const char *link_layer, *state, *phys_state, *operstate, *rate, *lid, *sm_lid;
	struct {
		const char *file;
		enum counter_group group;
		bool is_lacking;
		uint64_t value;
	} slots[SLOTS_MAX];
	struct gid_counts gid_counts;
	bool shows_device, has_carrier, carrier, gids, extra;
	enum chardev_sight umad, issm;
	/* the members that are not the texts themselves, as JSON; NULL: null in the record, without
	 * counters or other members */
	const char *state_name, *state_id, *phys_state_name, *phys_state_id, *rate_gbps, *lid_value,
		*sm_lid_value, *maps, *rest;
};

static void
set(struct text_value *value, const char *text)
{
	value->present = text != NULL;
	if (text != NULL)
		snprintf(value->text, sizeof value->text, "%s", text);
}

static void
make_port(const struct row *row, struct port *port, struct counter_slot slots[SLOTS_MAX])
{
	*port = (struct port){
		.number = 2,
		.netdev = (char *)row->netdev,
		.shows_device = row->shows_device,
		.slots = slots,
		.when = {.boottime_ns = 12345678901, .stamp = "2026-11-27T10:00:00.000001Z"},
		.gids = row->gid_counts,
		.umad = row->umad,
		.issm = row->issm,
		.has_carrier = row->has_carrier,
		.carrier = row->carrier,
	};
	for (; port->slot_count < SLOTS_MAX && row->slots[port->slot_count].file != NULL;
		port->slot_count++)
		slots[port->slot_count] = (struct counter_slot){
			.file = (char *)row->slots[port->slot_count].file,
			.group = row->slots[port->slot_count].group,
			.has_value = !row->slots[port->slot_count].is_lacking,
			.value = row->slots[port->slot_count].value,
		};
	set(&port->link_layer, row->link_layer);
	set(&port->state, row->state);
	set(&port->phys_state, row->phys_state);
	set(&port->operstate, row->operstate);
	set(&port->rate, row->rate);
	set(&port->lid, row->lid);
	set(&port->sm_lid, row->sm_lid);
}

static json_t *
parsed_new(const char *json, const char *otherwise)
{
	return json_loads(json != NULL ? json : otherwise, JSON_DECODE_ANY, NULL);
}

/* The same record as a tree. */
static json_t *
tree_new(const struct row *row)
{
	json_t *tree = json_pack("{s:s, s:I, s:s, s:I, s:s, s:i, s:s?}", "kind", "port", "scan",
		(json_int_t)7, "ts", "2026-11-27T10:00:00.000001Z", "boottime_ns",
		(json_int_t)12345678901, "device", row->device, "port", 2, "link_layer",
		row->link_layer);
	const struct {
		const char *key, *json;
	} parsed[] = {
		{"state", row->state_name},
		{"state_id", row->state_id},
		{"phys_state", row->phys_state_name},
		{"phys_state_id", row->phys_state_id},
		{"rate_gbps", row->rate_gbps},
	};
	for (size_t i = 0; i < CHECK_COUNT(parsed); i++)
		json_object_set_new(tree, parsed[i].key, parsed_new(parsed[i].json, "null"));
	json_object_set_new(tree, "rate", row->rate != NULL ? json_string(row->rate) : json_null());
	json_object_set_new(tree, "lid", parsed_new(row->lid_value, "null"));
	json_object_set_new(tree, "sm_lid", parsed_new(row->sm_lid_value, "null"));
	json_object_set_new(
		tree, "netdev", row->netdev != NULL ? json_string(row->netdev) : json_null());
	json_object_set_new(tree, "operstate",
		row->operstate != NULL ? json_string(row->operstate) : json_null());
	json_object_update_new(
		tree, parsed_new(row->maps, "{\"counters\":{},\"hw_counters\":{},\"net\":{}}"));
	json_object_update_new(tree, parsed_new(row->rest, "{}"));
	return tree;
}

static const struct row rows[] = {
	{
		.device = "mlx5_0",
		.netdev = "rdma0",
		.link_layer = "InfiniBand",
		.state = "4: ACTIVE",
		.phys_state = "5: LinkUp",
		.operstate = "up",
		.rate = "400 Gb/sec (4X NDR)",
		.lid = "0x2a",
		.sm_lid = "0x1",
		.slots = {{"link_downed", COUNTER_PORT, false, 0},
			{"symbol_error", COUNTER_PORT, false, 17},
			{"out_of_sequence", COUNTER_HW, false, 3},
			{"rx_errors", COUNTER_STATISTICS, false, 1},
			{"carrier_changes", COUNTER_INTERFACE, false, 2}},
		.umad = CHARDEV_PRESENT,
		.issm = CHARDEV_MISSING,
		.state_name = "\"ACTIVE\"",
		.state_id = "4",
		.phys_state_name = "\"LinkUp\"",
		.phys_state_id = "5",
		.rate_gbps = "400",
		.lid_value = "42",
		.sm_lid_value = "1",
		.maps = "{\"counters\":{\"link_downed\":0,\"symbol_error\":17},"
			"\"hw_counters\":{\"out_of_sequence\":3},"
			"\"net\":{\"rx_errors\":1,\"carrier_changes\":2}}",
		.rest = "{\"umad\":true,\"issm\":false}",
	},
	/* Only the port itself exists. */
	{.device = "mlx5_0"},
	/* A malformed number; characters that JSON escapes; an unreadable counter. */
	{
		.device = "a\"b\\c\x01\t\xC3\xA9",
		.netdev = "x\ny",
		.link_layer = "\x7f/",
		.state = "ACTIVE",
		.phys_state = "5 LinkUp",
		.operstate = "",
		.rate = "fast",
		.lid = "42",
		.sm_lid = "0x12345",
		.slots = {{"symbol_error", COUNTER_PORT, true, 0},
			{"link_downed", COUNTER_PORT, false, 9}},
		.umad = CHARDEV_MISSING,
		.issm = CHARDEV_PRESENT,
		.state_name = "\"ACTIVE\"",
		.phys_state_name = "\"5 LinkUp\"",
		.maps = "{\"counters\":{\"link_downed\":9},\"hw_counters\":{},\"net\":{}}",
		.rest = "{\"umad\":false,\"issm\":true}",
	},
	/* Empty texts say nothing about the port. */
	{.device = "mlx5_0", .state = "", .phys_state = "5: ", .phys_state_id = "5"},
	/* Large counters; a rate with a fraction; members that only EFA has; an extra scan. */
	{
		.device = "rdmap0",
		.link_layer = "EFA",
		.state = "1:DOWN",
		.phys_state = "3:  Disabled",
		.rate = "2.5 Gb/sec (1X SDR)",
		.slots = {{"a", COUNTER_PORT, false, INT64_MAX},
			{"b", COUNTER_PORT, false, (uint64_t)INT64_MAX + 1},
			{"c", COUNTER_PORT, false, UINT64_MAX},
			{"rx_drops", COUNTER_DEVICE_HW, false, 5}},
		.shows_device = true,
		.has_carrier = true,
		.carrier = true,
		.gids = true,
		.gid_counts = {true, 4, 2, 1},
		.extra = true,
		.state_name = "\"DOWN\"",
		.state_id = "1",
		.phys_state_name = "\"Disabled\"",
		.phys_state_id = "3",
		.rate_gbps = "2.5",
		.maps = "{\"counters\":{\"a\":9223372036854775807,\"b\":\"9223372036854775808\","
			"\"c\":\"18446744073709551615\"},\"hw_counters\":{},\"net\":{},"
			"\"device_hw_counters\":{\"rx_drops\":5}}",
		.rest = "{\"carrier\":1,\"gids\":{\"total\":4,\"ipv4_mapped\":2,\"roce_v2\":1},"
			"\"extra\":true}",
	},
	/* An unreadable GID table; a missing carrier; an impossibly high rate. */
	{
		.device = "mlx5_0",
		.rate = "10000000000 Gb/sec (4X NDR)",
		.has_carrier = true,
		.gids = true,
		.rest = "{\"carrier\":0,\"gids\":null}",
	},
};

static void
same_bytes(void)
{
	struct strbuf line = {0}, slow = {0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct port port;
		struct counter_slot slots[SLOTS_MAX];
		make_port(&rows[i], &port, slots);
		const struct portrecord_setting setting = {.scan = 7,
			.device = rows[i].device,
			.gids = rows[i].gids,
			.extra = rows[i].extra};
		json_t *tree = tree_new(&rows[i]);
		check_row("row %zu", i);
		strbuf_clear(&slow);
		CHECK_INT(rec_add_line(&slow, tree), 0);
		/* The second time with the kept middle. */
		for (int turn = 0; turn < 2; turn++) {
			CHECK_INT(portrecord_line(&line, &port, &setting), 0);
			CHECK_STR(line.bytes, slow.bytes);
		}
		strbuf_fini(&port.middle);
		json_decref(tree);
	}
	strbuf_fini(&line);
	strbuf_fini(&slow);
}

static void
bytes_of_no_character(void)
{
	struct strbuf line = {0};
	char netdev[] = "e\xff\xc3th";
	struct port port = {.number = 1, .netdev = netdev};
	const struct portrecord_setting setting = {.device = "m\x80x"};
	CHECK_INT(portrecord_line(&line, &port, &setting), 0);
	CHECK_HAS(line.bytes, "\"device\":\"m\xEF\xBF\xBDx\"");
	CHECK_HAS(line.bytes, "\"netdev\":\"e\xEF\xBF\xBD\xEF\xBF\xBDth\"");
	strbuf_fini(&port.middle);
	strbuf_fini(&line);
}

/* The maximum number of counters with the longest names, and texts that escape to six times their
 * length. */
static void
the_largest(void)
{
	static struct counter_slot slots[IBSCAN_COUNTERS_MAX];
	static char names[IBSCAN_COUNTERS_MAX][IBSCAN_COUNTER_NAME_MAX + 1];
	char name[IBSCAN_TEXT_SIZE], device[256];
	struct strbuf line = {0};
	struct port port = {.number = UINT32_MAX,
		.slots = slots,
		.slot_count = IBSCAN_COUNTERS_MAX,
		.when = {.boottime_ns = INT64_MAX, .stamp = "2026-11-27T10:00:00.000001Z"}};

	memset(name, 1, sizeof name);
	name[sizeof name - 1] = '\0';
	memset(device, 1, sizeof device);
	device[sizeof device - 1] = '\0';
	port.netdev = device;
	for (size_t i = 0; i < IBSCAN_COUNTERS_MAX; i++) {
		snprintf(names[i], sizeof names[i], "%064zu", i);
		slots[i] = (struct counter_slot){
			.file = names[i], .has_value = true, .value = UINT64_MAX};
	}
	struct text_value *const texts[] = {&port.link_layer, &port.state, &port.phys_state,
		&port.operstate, &port.rate, &port.lid, &port.sm_lid};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++)
		set(texts[i], name);
	const struct portrecord_setting setting = {
		.scan = INT64_MAX, .device = device, .gids = true, .extra = true};
	CHECK_INT(portrecord_line(&line, &port, &setting), 0);
	json_t *record = json_loadb(line.bytes, line.length, 0, NULL);
	CHECK_INT((int64_t)json_object_size(json_object_get(record, "counters")),
		IBSCAN_COUNTERS_MAX);
	CHECK(json_is_true(json_object_get(record, "extra")));
	json_decref(record);
	strbuf_fini(&port.middle);
	strbuf_fini(&line);
}

static const struct check_test tests[] = {
	{"a port's record has the same bytes as jansson's for the same values", same_bytes},
	{"invalid UTF-8 is replaced in a port's record", bytes_of_no_character},
	{"the largest port fits in a record", the_largest},
};

CHECK_MAIN(tests)
