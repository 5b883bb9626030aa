/* Unit tests of scanrec: decoding the scan records. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scanrec.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* One whole record of each kind (records#scan-records). */
static const char begin_text[] =
	"{'kind':'scan.begin','v':1,'scan':3,'node':'gpu-42','boot_id':'a1b2','ts':'T',"
	"'boottime_ns':123456789012,'interval_ms':1000}";
static const char device_text[] =
	"{'kind':'device','scan':3,'device':'mlx5_0','pci':'0000:18:00.0','vendor':'0x15b3',"
	"'driver':'mlx5_core','hca_type':'MT4129','fw_ver':'28.39.1002','board_id':'MT_0000000838',"
	"'node_guid':'a088:c203:0066:0a48','numa_node':1,'vf':true,'physfn':null,"
	"'netdevs':[{'name':'ibp24s0','uppers':['bond0']}],'ports':2,'error':'EIO',"
	"'in_flight_ms':2009,'in_flight':'counter',"
	"'role':'compute','reason':'override','card':'0000:18:00','monitored':false}";
static const char port_text[] =
	"{'kind':'port','scan':3,'ts':'T','boottime_ns':123456799012,'device':'mlx5_0','port':2,"
	"'link_layer':'InfiniBand','state':'ACTIVE','state_id':4,'phys_state':'LinkUp',"
	"'phys_state_id':5,'rate_gbps':400,'rate':'400 Gb/sec (4X NDR)','lid':17,'sm_lid':1,"
	"'netdev':'ibp24s0','operstate':'up','counters':{'link_downed':1},"
	"'hw_counters':{'rnr_nak_retry_err':2},'net':{'carrier_changes':3},'role':'storage',"
	"'card':'0000:18:00','gids':{'total':2},'monitored':false}";
static const char end_text[] =
	"{'kind':'scan.end','scan':3,'ts':'T','boottime_ns':123456899012,'devices':5,'ports':6,"
	"'complete':true,'unreadable':[],'error':'ENOENT','duration_us':812,"
	"'unbound':['0000:5e:00.0'],'functions':[{'pci':'0000:5e:00.0','driver':null}]}";

static const char stall_text[] =
	"{'kind':'scan.stall','node':'n','ts':'T','boottime_ns':123456999012,'in_flight_ms':3001}";

static void
kinds(void)
{
	static const struct {
		const char *json;
		enum scanrec_kind kind;
	} rows[] = {
		{"{'kind':'scan.begin'}", SCANREC_BEGIN},
		{"{'kind':'device'}", SCANREC_DEVICE},
		{"{'kind':'port'}", SCANREC_PORT},
		{"{'kind':'scan.end'}", SCANREC_END},
		{"{'kind':'scan.stall'}", SCANREC_STALL},
		{"{'kind':'event'}", SCANREC_OTHER},
		{"{'kind':''}", SCANREC_OTHER},
		{"{'kind':'Port'}", SCANREC_OTHER},
		{"{'kind':'ports'}", SCANREC_OTHER},
		{"{'kind':'scan'}", SCANREC_OTHER},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *record = check_json_new(rows[i].json);
		check_row("%s", rows[i].json);
		CHECK_INT(scanrec_kind(record), rows[i].kind);
		json_decref(record);
	}
}

static void
begin(void)
{
	struct scanrec_begin out;
	struct rec_error error;
	json_t *record = check_json_new(begin_text);
	CHECK(scanrec_decode_begin(record, &out, &error));
	CHECK_INT(out.scan, 3);
	CHECK_STR(out.node, "gpu-42");
	CHECK_STR(out.boot_id, "a1b2");
	CHECK_STR(out.ts, "T");
	CHECK_U64(out.boottime_ns, UINT64_C(123456789012));
	CHECK_INT(out.interval_ms, 1000);
	json_decref(record);
}

static void
device(void)
{
	struct scanrec_device out;
	struct rec_error error;
	json_t *record = check_json_new(device_text);
	CHECK(scanrec_decode_device(record, &out, &error));
	CHECK_INT(out.scan, 3);
	CHECK_STR(out.device, "mlx5_0");
	CHECK_STR(out.pci, "0000:18:00.0");
	CHECK_STR(out.vendor, "0x15b3");
	CHECK_STR(out.driver, "mlx5_core");
	CHECK_STR(out.hca_type, "MT4129");
	CHECK_STR(out.fw_ver, "28.39.1002");
	CHECK_STR(out.board_id, "MT_0000000838");
	CHECK_STR(out.node_guid, "a088:c203:0066:0a48");
	CHECK_STR(out.error, "EIO");
	CHECK_INT(out.numa_node, 1);
	CHECK(out.vf);
	CHECK_INT((int64_t)json_array_size(out.netdevs), 1);
	CHECK_INT(out.ports, 2);
	CHECK_STR(out.role, "compute");
	CHECK_STR(out.reason, "override");
	CHECK_STR(out.card, "0000:18:00");
	CHECK(!out.monitored);
	json_decref(record);
}

static void
port(void)
{
	struct scanrec_port out;
	struct rec_error error;
	uint64_t value = 0;
	json_t *record = check_json_new(port_text);
	CHECK(scanrec_decode_port(record, &out, &error));
	CHECK_INT(out.scan, 3);
	CHECK_STR(out.ts, "T");
	CHECK_U64(out.boottime_ns, UINT64_C(123456799012));
	CHECK_STR(out.device, "mlx5_0");
	CHECK_INT(out.port, 2);
	CHECK_STR(out.link_layer, "InfiniBand");
	CHECK_STR(out.state, "ACTIVE");
	CHECK_STR(out.phys_state, "LinkUp");
	CHECK_INT(out.state_id, 4);
	CHECK_INT(out.phys_state_id, 5);
	CHECK_STR(out.operstate, "up");
	CHECK_STR(out.netdev, "ibp24s0");
	CHECK_STR(out.rate, "400 Gb/sec (4X NDR)");
	CHECK(out.rate_gbps == 400);
	CHECK_INT((int64_t)json_object_size(out.gids), 1);
	CHECK_STR(out.card, "0000:18:00");
	CHECK_INT(rec_get_u64(out.counters, "link_downed", &value), REC_OK);
	CHECK_U64(value, 1);
	CHECK_INT(rec_get_u64(out.hw_counters, "rnr_nak_retry_err", &value), REC_OK);
	CHECK_U64(value, 2);
	CHECK_INT(rec_get_u64(out.net, "carrier_changes", &value), REC_OK);
	CHECK_U64(value, 3);
	CHECK_STR(out.role, "storage");
	CHECK(!out.monitored);
	json_decref(record);
}

static void
end(void)
{
	struct scanrec_end out;
	struct rec_error error;
	json_t *record = check_json_new(end_text);
	CHECK(scanrec_decode_end(record, &out, &error));
	CHECK_INT(out.scan, 3);
	CHECK_INT(out.devices, 5);
	CHECK_INT(out.ports, 6);
	CHECK(out.complete);
	CHECK_STR(out.error, "ENOENT");
	CHECK_STR(out.ts, "T");
	CHECK_INT(out.duration_us, 812);
	CHECK_INT((int64_t)json_array_size(out.unbound), 1);
	CHECK_INT((int64_t)json_array_size(out.functions), 1);
	json_decref(record);
}

static void
functions(void)
{
	static const struct {
		const char *fields; /* of scan.end */
		enum scanrec_function function;
		const char *driver;
	} rows[] = {
		{"", SCANREC_FUNCTION_UNKNOWN, NULL},
		{",'functions':null", SCANREC_FUNCTION_UNKNOWN, NULL},
		{",'functions':[]", SCANREC_FUNCTION_OFF, NULL},
		{",'functions':[{'pci':'0000:18:00.1','driver':'mlx5_core'}]", SCANREC_FUNCTION_OFF,
			NULL},
		{",'functions':[{'pci':'0000:18:00.1','driver':null},"
		 "{'pci':'0000:18:00.0','driver':'mlx5_core'}]",
			SCANREC_FUNCTION_BOUND, "mlx5_core"},
		{",'functions':[{'pci':'0000:18:00.0','driver':null}]", SCANREC_FUNCTION_UNBOUND,
			NULL},
		/* its link could not be read */
		{",'functions':[{'pci':'0000:18:00.0'}]", SCANREC_FUNCTION_UNKNOWN, NULL},
		{",'functions':[{'pci':'0000:18:00.0','driver':7}]", SCANREC_FUNCTION_UNKNOWN,
			NULL},
		/* a malformed entry could be any function's */
		{",'functions':[7]", SCANREC_FUNCTION_UNKNOWN, NULL},
		{",'functions':[{'driver':'mlx5_core'}]", SCANREC_FUNCTION_UNKNOWN, NULL},
		{",'functions':[{},{'pci':'0000:18:00.0','driver':null}]", SCANREC_FUNCTION_UNBOUND,
			NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char json[512];
		struct scanrec_end end;
		struct rec_error error;
		const char *driver;
		check_row("%s", rows[i].fields);
		snprintf(json, sizeof json,
			"{'kind':'scan.end','scan':1,'devices':0,'ports':0,'complete':true%s}",
			rows[i].fields);
		json_t *record = check_json_new(json);
		CHECK(scanrec_decode_end(record, &end, &error));
		CHECK_INT(scanrec_function(&end, "0000:18:00.0", &driver), rows[i].function);
		CHECK_STR(driver, rows[i].driver);
		json_decref(record);
	}
}

static void
passed_on(void)
{
	static const char *const passing[] = {"vfio-pci", "uio_pci_generic", "igb_uio", "pci-stub"};
	for (size_t i = 0; i < CHECK_COUNT(passing); i++)
		CHECK(scanrec_is_passed_on(passing[i]));
	CHECK(!scanrec_is_passed_on("mlx5_core"));
	CHECK(!scanrec_is_passed_on("vfio"));
	CHECK(!scanrec_is_passed_on(""));
	CHECK(!scanrec_is_passed_on(NULL));
}

static void
under_way(void)
{
	struct scanrec_device device;
	struct scanrec_stall stall;
	struct rec_error error;
	json_t *record = check_json_new(device_text);

	CHECK(scanrec_decode_device(record, &device, &error));
	CHECK_INT(device.in_flight_ms, 2009);
	CHECK_STR(device.in_flight, "counter");
	json_object_del(record, "in_flight_ms");
	json_object_del(record, "in_flight");
	CHECK(scanrec_decode_device(record, &device, &error));
	CHECK_INT(device.in_flight_ms, -1);
	CHECK_STR(device.in_flight, NULL);
	json_decref(record);

	record = check_json_new(stall_text);
	CHECK(scanrec_decode_stall(record, &stall, &error));
	CHECK_STR(stall.node, "n");
	CHECK_STR(stall.ts, "T");
	CHECK_U64(stall.boottime_ns, UINT64_C(123456999012));
	CHECK_INT(stall.in_flight_ms, 3001);
	json_decref(record);
}

/* Decode a record by its kind; the result does not matter. */
static bool
decodes(const json_t *record, struct rec_error *error)
{
	union {
		struct scanrec_begin begin;
		struct scanrec_device device;
		struct scanrec_port port;
		struct scanrec_end end;
		struct scanrec_stall stall;
	} out;
	switch (scanrec_kind(record)) {
	case SCANREC_BEGIN:
		return scanrec_decode_begin(record, &out.begin, error);
	case SCANREC_DEVICE:
		return scanrec_decode_device(record, &out.device, error);
	case SCANREC_PORT:
		return scanrec_decode_port(record, &out.port, error);
	case SCANREC_END:
		return scanrec_decode_end(record, &out.end, error);
	case SCANREC_STALL:
		return scanrec_decode_stall(record, &out.stall, error);
	case SCANREC_OTHER:
		break;
	}
	return false;
}

/* Fields, for decoding without them and with each JSON type. */
struct field {
	const char *text, *kind, *key;
	char type; /* s string, i integer, b bool, a array, o object */
};

static const struct field required[] = {
	{begin_text, "scan.begin", "scan", 'i'},
	{begin_text, "scan.begin", "ts", 's'},
	{begin_text, "scan.begin", "boottime_ns", 'i'},
	{device_text, "device", "scan", 'i'},
	{device_text, "device", "device", 's'},
	{device_text, "device", "ports", 'i'},
	{port_text, "port", "scan", 'i'},
	{port_text, "port", "ts", 's'},
	{port_text, "port", "boottime_ns", 'i'},
	{port_text, "port", "device", 's'},
	{port_text, "port", "port", 'i'},
	{end_text, "scan.end", "scan", 'i'},
	{end_text, "scan.end", "devices", 'i'},
	{end_text, "scan.end", "ports", 'i'},
	{end_text, "scan.end", "complete", 'b'},
	{stall_text, "scan.stall", "ts", 's'},
	{stall_text, "scan.stall", "boottime_ns", 'i'},
	{stall_text, "scan.stall", "in_flight_ms", 'i'},
};

static const struct field optional[] = {
	{begin_text, "scan.begin", "node", 's'},
	{begin_text, "scan.begin", "boot_id", 's'},
	{begin_text, "scan.begin", "interval_ms", 'i'},
	{device_text, "device", "pci", 's'},
	{device_text, "device", "vendor", 's'},
	{device_text, "device", "driver", 's'},
	{device_text, "device", "hca_type", 's'},
	{device_text, "device", "numa_node", 'i'},
	{device_text, "device", "vf", 'b'},
	{device_text, "device", "netdevs", 'a'},
	{device_text, "device", "error", 's'},
	{device_text, "device", "role", 's'},
	{device_text, "device", "reason", 's'},
	{device_text, "device", "card", 's'},
	{device_text, "device", "monitored", 'b'},
	{port_text, "port", "link_layer", 's'},
	{port_text, "port", "state", 's'},
	{port_text, "port", "phys_state", 's'},
	{port_text, "port", "state_id", 'i'},
	{port_text, "port", "phys_state_id", 'i'},
	{port_text, "port", "operstate", 's'},
	{port_text, "port", "counters", 'o'},
	{port_text, "port", "hw_counters", 'o'},
	{port_text, "port", "net", 'o'},
	{port_text, "port", "role", 's'},
	{port_text, "port", "monitored", 'b'},
	{end_text, "scan.end", "error", 's'},
	{stall_text, "scan.stall", "node", 's'},
};

static void
check_variant(const struct field *field, json_t *value, bool good, const char *word)
{
	char reason[200];
	struct rec_error error = {.reason = ""};
	json_t *record = check_json_new(field->text);
	if (value != NULL)
		json_object_set_new(record, field->key, value);
	else
		json_object_del(record, field->key);
	CHECK_INT(decodes(record, &error), good);
	snprintf(reason, sizeof reason, "%s record %s \"%s\"", field->kind, word, field->key);
	if (!good)
		CHECK_STR(error.reason, reason);
	json_decref(record);
}

static void
without_required(void)
{
	for (size_t i = 0; i < CHECK_COUNT(required); i++) {
		check_row("%s of %s", required[i].key, required[i].kind);
		check_variant(&required[i], NULL, false, "without");
		check_variant(&required[i], json_null(), false, "without");
	}
}

static void
without_optional(void)
{
	for (size_t i = 0; i < CHECK_COUNT(optional); i++) {
		check_row("%s of %s", optional[i].key, optional[i].kind);
		check_variant(&optional[i], NULL, true, "");
		check_variant(&optional[i], json_null(), true, "");
	}
}

static void
check_types(const struct field *fields, size_t count)
{
	static const struct {
		char type;
		const char *json;
	} values[] = {
		{'s', "'text'"}, {'i', "7"}, {'f', "1.5"}, {'b', "true"}, {'a', "[]"}, {'o', "{}"}};
	for (size_t i = 0; i < count; i++) {
		for (size_t v = 0; v < CHECK_COUNT(values); v++) {
			check_row("%s of %s as %s", fields[i].key, fields[i].kind, values[v].json);
			check_variant(&fields[i], check_json_new(values[v].json),
				values[v].type == fields[i].type, "with the wrong type of");
		}
	}
}

static void
wrong_types(void)
{
	check_types(optional, CHECK_COUNT(optional));
	/* A counter may be a decimal string, but 'text' is none. */
	check_types(required, CHECK_COUNT(required));
}

/* Names in events are bounded, so that an event fits in its 4096 bytes. */
static void
too_long(void)
{
	static const struct {
		struct field field;
		size_t most;
	} rows[] = {
		{{begin_text, "scan.begin", "node", 's'}, REC_NODE_MAX_BYTES},
		{{begin_text, "scan.begin", "boot_id", 's'}, 64},
		{{begin_text, "scan.begin", "ts", 's'}, 64},
		{{device_text, "device", "device", 's'}, 64},
		{{device_text, "device", "pci", 's'}, 64},
		{{device_text, "device", "role", 's'}, 64},
		{{device_text, "device", "card", 's'}, 64},
		{{device_text, "device", "reason", 's'}, 64},
		{{port_text, "port", "device", 's'}, 64},
		{{port_text, "port", "ts", 's'}, 64},
		{{port_text, "port", "role", 's'}, 64},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = check_repeat_new('x', rows[i].most + 1);
		check_row("%s of %s", rows[i].field.key, rows[i].field.kind);
		check_variant(&rows[i].field, json_string(text), false, "with too long a");
		text[rows[i].most] = '\0';
		check_variant(&rows[i].field, json_string(text), true, "");
		free(text);
	}
}

static void
negative_boottime(void)
{
	static const char *const texts[] = {begin_text, port_text};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		struct rec_error error = {.reason = ""};
		json_t *record = check_json_new(texts[i]);
		json_object_set_new(record, "boottime_ns", json_integer(-1));
		CHECK(!decodes(record, &error));
		CHECK_HAS(error.reason, " record with an out-of-range \"boottime_ns\"");
		json_decref(record);
	}
}

static void
port_numbers(void)
{
	static const struct {
		int64_t number;
		bool good;
	} rows[] = {{0, true}, {1, true}, {INT32_MAX, true}, {INT32_MAX + INT64_C(1), false},
		{-1, false}, {INT64_MAX, false}, {INT64_MIN, false}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanrec_port out;
		struct rec_error error = {.reason = ""};
		json_t *record = check_json_new(port_text);
		json_object_set_new(record, "port", json_integer(rows[i].number));
		check_row("port %lld", (long long)rows[i].number);
		if (CHECK_INT(scanrec_decode_port(record, &out, &error), rows[i].good) &&
			rows[i].good)
			CHECK_INT(out.port, rows[i].number);
		if (!rows[i].good)
			CHECK_STR(error.reason, "\"port\" is out of range");
		json_decref(record);
	}
}

static void
unannotated(void)
{
	struct scanrec_device device_out;
	struct scanrec_port port_out;
	struct rec_error error;
	json_t *device_record = check_json_new("{'kind':'device','scan':1,'device':'d','ports':0}");
	json_t *port_record = check_json_new(
		"{'kind':'port','scan':1,'ts':'T','boottime_ns':5,'device':'d','port':1}");
	if (CHECK(scanrec_decode_device(device_record, &device_out, &error))) {
		CHECK(device_out.monitored);
		CHECK_STR(device_out.role, NULL);
		CHECK_STR(device_out.reason, NULL);
		CHECK_STR(device_out.card, NULL);
		CHECK_STR(device_out.pci, NULL);
		CHECK_STR(device_out.error, NULL);
		CHECK_INT(device_out.numa_node, -1);
		CHECK(!device_out.vf);
	}
	if (CHECK(scanrec_decode_port(port_record, &port_out, &error))) {
		CHECK(port_out.monitored);
		CHECK_STR(port_out.role, NULL);
		CHECK_STR(port_out.link_layer, NULL);
		CHECK_STR(port_out.rate, NULL);
		CHECK(port_out.rate_gbps == 0);
		CHECK(port_out.gids == NULL);
		CHECK_STR(port_out.state, NULL);
		CHECK_STR(port_out.phys_state, NULL);
		CHECK_STR(port_out.operstate, NULL);
		CHECK_INT(port_out.state_id, -1);
		CHECK_INT(port_out.phys_state_id, -1);
		CHECK(port_out.counters == NULL);
		CHECK(port_out.hw_counters == NULL);
		CHECK(port_out.net == NULL);
	}
	json_decref(device_record);
	json_decref(port_record);
}

static void
null_containers(void)
{
	struct scanrec_device device_out;
	struct scanrec_port port_out;
	struct rec_error error;
	json_t *device_record = check_json_new(
		"{'kind':'device','scan':1,'device':'d','ports':0,'netdevs':null,'numa_node':null,"
		"'monitored':null,'vf':null}");
	json_t *port_record = check_json_new(
		"{'kind':'port','scan':1,'ts':'T','boottime_ns':5,'device':'d','port':1,"
		"'counters':null,'net':null,'monitored':null}");
	if (CHECK(scanrec_decode_device(device_record, &device_out, &error))) {
		/* "array, or NULL" */
		CHECK(device_out.netdevs == NULL || json_is_array(device_out.netdevs));
		CHECK_INT(device_out.numa_node, -1);
		CHECK(device_out.monitored);
		CHECK(!device_out.vf);
	}
	if (CHECK(scanrec_decode_port(port_record, &port_out, &error))) {
		CHECK(port_out.counters == NULL);
		CHECK(port_out.net == NULL);
		CHECK(port_out.monitored);
	}
	json_decref(device_record);
	json_decref(port_record);
}

static void
begin_defaults(void)
{
	struct scanrec_begin out;
	struct rec_error error;
	json_t *record = check_json_new(
		"{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':'9223372036854775807'}");
	if (CHECK(scanrec_decode_begin(record, &out, &error))) {
		CHECK_STR(out.node, NULL);
		CHECK_STR(out.boot_id, NULL);
		CHECK_INT(out.interval_ms, 0);
		CHECK_U64(out.boottime_ns, INT64_MAX);
	}
	json_decref(record);
	record = check_json_new(
		"{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1,'boot_id':''}");
	if (CHECK(scanrec_decode_begin(record, &out, &error)))
		CHECK_STR(out.boot_id, NULL);
	json_decref(record);
}

static void
end_lists(void)
{
	struct scanrec_end out;
	struct rec_error error;
	json_t *record = check_json_new(
		"{'kind':'scan.end','scan':1,'devices':0,'ports':0,'complete':false,'error':null}");
	if (CHECK(scanrec_decode_end(record, &out, &error))) {
		CHECK(!out.complete);
		CHECK_STR(out.error, NULL);
	}
	json_decref(record);
}

static void
character_devices(void)
{
	static const struct {
		const char *field;
		enum chardev_sight sight;
	} rows[] = {
		{"", CHARDEV_UNKNOWN},
		{",'uverbs':null,'umad':null,'issm':null", CHARDEV_UNKNOWN},
		{",'uverbs':1,'umad':'true','issm':[]", CHARDEV_UNKNOWN},
		{",'uverbs':false,'umad':false,'issm':false", CHARDEV_MISSING},
		{",'uverbs':true,'umad':true,'issm':true", CHARDEV_PRESENT},
	};
	struct rec_error error = {.reason = ""};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[400];
		struct scanrec_device device;
		struct scanrec_port port;
		check_row("%s", rows[i].field);
		snprintf(text, sizeof text, "{'kind':'device','scan':1,'device':'m','ports':1%s}",
			rows[i].field);
		json_t *record = check_json_new(text);
		CHECK(scanrec_decode_device(record, &device, &error));
		CHECK_INT(device.uverbs, rows[i].sight);
		json_decref(record);
		snprintf(text, sizeof text,
			"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'m','port':1%s}",
			rows[i].field);
		record = check_json_new(text);
		CHECK(scanrec_decode_port(record, &port, &error));
		CHECK_INT(port.umad, rows[i].sight);
		CHECK_INT(port.issm, rows[i].sight);
		json_decref(record);
	}
	struct scanrec_end end;
	json_t *record = check_json_new("{'kind':'scan.end','scan':1,'devices':0,'ports':0,"
					"'complete':true,'verbs_error':'ENOENT','mad_error':7,"
					"'elsewhere':['mlx5_4']}");
	CHECK(scanrec_decode_end(record, &end, &error));
	CHECK(rec_has_text(end.elsewhere, "mlx5_4"));
	CHECK_STR(end.verbs_error, "ENOENT");
	CHECK_STR(end.mad_error, NULL);
	json_decref(record);
}

static void
efa(void)
{
	static const struct {
		const char *fields, *state, *phys_state;
		int state_id, phys_state_id;
	} rows[] = {
		{"'link_layer':'EFA','netdev':'ens6','operstate':'up','carrier':1", "ACTIVE",
			"LinkUp", 4, 5},
		{"'link_layer':'EFA','netdev':'ens6','operstate':'down'", "DOWN", "LinkDown", 1,
			-1},
		{"'link_layer':'EFA','netdev':'ens6','operstate':'up','carrier':0", "DOWN",
			"LinkDown", 1, -1},
		{"'link_layer':'EFA','netdev':'ens6','operstate':null", NULL, NULL, -1, -1},
		{"'link_layer':'EFA','netdev':null,'operstate':null", "ACTIVE", "LinkUp", 4, 5},
		{"'link_layer':'EFA','netdev':'ens6','operstate':'up','carrier':'x'", "ACTIVE",
			"LinkUp", 4, 5},
		{"'link_layer':'Ethernet','netdev':'ens6','operstate':'down','carrier':0", "INIT",
			"Polling", 2, 2},
		{"'link_layer':null,'netdev':'ens6','operstate':'down','carrier':0", "INIT",
			"Polling", 2, 2},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[300];
		struct scanrec_port port;
		struct rec_error error;
		snprintf(text, sizeof text,
			"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'d','port':1,"
			"'state':'INIT','state_id':2,'phys_state':'Polling','phys_state_id':2,"
			"'device_hw_counters':{'cmds_err':7},%s}",
			rows[i].fields);
		json_t *record = check_json_new(text);
		check_row("%s", rows[i].fields);
		CHECK(scanrec_decode_port(record, &port, &error));
		CHECK_STR(port.state, rows[i].state);
		CHECK_STR(port.phys_state, rows[i].phys_state);
		CHECK_INT(port.state_id, rows[i].state_id);
		CHECK_INT(port.phys_state_id, rows[i].phys_state_id);
		CHECK(json_object_size(port.device_hw_counters) == 1);
		json_decref(record);
	}
}

static void
efa_unreadable(void)
{
	struct scanrec_port port;
	struct rec_error error;
	json_t *record = check_json_new("{'kind':'port','scan':1,'ts':'T','boottime_ns':1,"
					"'device':'d','port':1,'link_layer':'EFA','state':null,"
					"'phys_state':null,'netdev':'ens6','operstate':'down'}");
	CHECK(scanrec_decode_port(record, &port, &error));
	CHECK(port.state == NULL && port.phys_state == NULL);
	json_decref(record);
}

static const struct check_test tests[] = {
	{"a character device is present, missing or unknown", character_devices},
	{"only an EFA port takes its state from its interface", efa},
	{"an EFA port that cannot be read has no state, whatever its interface's state",
		efa_unreadable},
	{"a record's kind is recognised by its exact name", kinds},
	{"a scan.begin is decoded", begin},
	{"a device is decoded", device},
	{"a port is decoded", port},
	{"a scan.end is decoded", end},
	{"the drivers that pass a function on are known", passed_on},
	{"a pending read and its duration are decoded", under_way},
	{"a record without a required field is refused with the field's name", without_required},
	{"a record without an optional field, or with null, is accepted", without_optional},
	{"a field of a wrong type is refused with its name, optional or not", wrong_types},
	{"a name too long for an event is refused", too_long},
	{"a negative time is refused", negative_boottime},
	{"a port's number is neither negative nor beyond 31 bits", port_numbers},
	{"records without topoclass's annotations are monitored and have no role", unannotated},
	{"null counts as absent in every container", null_containers},
	{"a scan.begin without node, boot and interval is accepted", begin_defaults},
	{"a scan.end without an error means that the devices were listed", end_lists},
	{"scan.end tells which driver a PCI function has, if it was read", functions},
};
CHECK_MAIN(tests)
