/* Unit tests of topoclass's annotate: adding roles to a scan's records without other changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/annotate.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Annotate a text, which may continue behind the JSON. */
static void
check_annotated(const char *text, const char *addition, const char *expected)
{
	struct rec_error error;
	struct strbuf out = {0};
	char *line = strdup(text), *added = check_replaced_new(strdup(addition), "'", "\"");
	const struct scanbuf_line record = {
		.json = rec_parse_new(line, strlen(line), &error),
		.text = line,
		.length = strlen(line),
	};
	check_row("%s", text);
	if (CHECK(record.json != NULL)) {
		json_t *before = json_deep_copy(record.json);
		CHECK_INT(annotate_add(&out, &record, added, strlen(added)), 0);
		CHECK_STR(out.bytes, expected);
		CHECK_INT((int64_t)out.length, (int64_t)strlen(expected));
		/* The record is unchanged, and may be annotated again. */
		CHECK(json_equal(record.json, before));
		json_decref(before);
	}
	json_decref(record.json);
	strbuf_fini(&out);
	free(line);
	free(added);
}

static void
keeps_text(void)
{
	check_annotated("{\"kind\":\"x\"}", "{'a':1}", "{\"kind\":\"x\",\"a\":1}\n");
	check_annotated("{ \"kind\" : \"x\" , \"n\":1.50e+1 }", "{'role':null,'monitored':true}",
		"{ \"kind\" : \"x\" , \"n\":1.50e+1 ,\"role\":null,\"monitored\":true}\n");
	check_annotated("{\"kind\":\"x\",\"u\":\"\\u00e4\",\"big\":18446744073709551615}",
		"{'a':1}",
		"{\"kind\":\"x\",\"u\":\"\\u00e4\",\"big\":18446744073709551615,\"a\":1}\n");
	/* Braces in strings and in objects at the end. */
	check_annotated("{\"kind\":\"x\",\"s\":\"}\"}", "{'a':'}'}",
		"{\"kind\":\"x\",\"s\":\"}\",\"a\":\"}\"}\n");
	check_annotated("{\"kind\":\"x\",\"o\":{\"p\":{}}}", "{'a':{'b':[]}}",
		"{\"kind\":\"x\",\"o\":{\"p\":{}},\"a\":{\"b\":[]}}\n");
	check_annotated("{\"kind\":\"x\",\"unknown\":[1,2]}", "{'a':1}",
		"{\"kind\":\"x\",\"unknown\":[1,2],\"a\":1}\n");
}

static void
trailing_space(void)
{
	check_annotated("{\"kind\":\"x\"}  \t\r", "{'a':1}", "{\"kind\":\"x\",\"a\":1}\n");
	check_annotated("  {\"kind\":\"x\"}\n", "{'a':1}", "  {\"kind\":\"x\",\"a\":1}\n");
	check_annotated("{\"kind\":\"x\" \t }", "{'a':1}", "{\"kind\":\"x\" \t ,\"a\":1}\n");
}

static void
second_time(void)
{
	check_annotated("{\"kind\":\"x\",\"role\":\"compute\",\"z\":1}", "{'role':null}",
		"{\"kind\":\"x\",\"role\":null,\"z\":1}\n");
	check_annotated("{\"kind\":\"x\",\"role\":\"compute\",\"n\":2.1}",
		"{'role':'storage','monitored':false}",
		"{\"kind\":\"x\",\"role\":\"storage\",\"n\":2.1,\"monitored\":false}\n");
	check_annotated("{\"kind\":\"x\",\"topology\":{\"nics\":1}}", "{'topology':{'lost':[]}}",
		"{\"kind\":\"x\",\"topology\":{\"lost\":[]}}\n");
	/* A key with null is present. */
	check_annotated("{\"role\":null,\"kind\":\"x\"}", "{'role':'storage'}",
		"{\"role\":\"storage\",\"kind\":\"x\"}\n");
	/* The same key in a nested object is another key. */
	check_annotated("{\"kind\":\"x\",\"o\":{\"role\":1}}", "{'role':2}",
		"{\"kind\":\"x\",\"o\":{\"role\":1},\"role\":2}\n");
}

static void
every_length(void)
{
	for (size_t length = 0; length < 200; length++) {
		char text[300], expected[400];
		char *padding = check_repeat_new('p', length);
		snprintf(text, sizeof text, "{\"kind\":\"%s\"}", padding);
		snprintf(expected, sizeof expected, "{\"kind\":\"%s\",\"role\":\"compute\"}\n",
			padding);
		check_annotated(text, "{'role':'compute'}", expected);
		free(padding);
	}
}

/* --- whole scans --- */

static struct rx_list no_expressions;
static const int64_t numa_0[] = {0};
static const struct rules rules = {.exclusion = &no_expressions,
	.inclusion = &no_expressions,
	.gpu_numa = numa_0,
	.gpu_numa_count = 1};

static void
add(struct scanbuf *scan, const char *text)
{
	struct rec_error error = {.reason = ""};
	char *copy = check_replaced_new(strdup(text), "'", "\"");
	struct scanbuf_line line = {.text = copy, .length = strlen(copy)};
	line.json = rec_parse_new(copy, line.length, &error);
	if (CHECK(line.json != NULL)) {
		line.kind = scanrec_kind(line.json);
		if (line.kind == SCANREC_DEVICE)
			CHECK(scanrec_decode_device(line.json, &line.device, &error));
		if (line.kind == SCANREC_PORT)
			CHECK(scanrec_decode_port(line.json, &line.port, &error));
		CHECK_STR(error.reason, "");
		CHECK_INT(scanbuf_add(scan, &line), 0);
	}
	free(copy);
}

/* Return the output of the buffered scan as an array of records, to release, and clear the scan. */
static json_t *
parsed_records_new(struct scanbuf *scan, struct strbuf *out)
{
	json_t *records = json_array();
	for (char *line = strtok(out->bytes, "\n"); line != NULL; line = strtok(NULL, "\n"))
		json_array_append_new(records, json_loads(line, 0, NULL));
	strbuf_fini(out);
	scanbuf_clear(scan);
	return records;
}

/* Annotate the buffered scan and clear it; return the output as an array of records, to release.
 * The metadata is from a file, or of the PCI bus. */
static json_t *
records_by_new(
	struct scanbuf *scan, const char *default_interface, bool of_bus, struct memory *memory)
{
	json_t *root =
		check_json_new("{'gpus':[{'numa_node':0},{'numa_node':1}],"
			       "'nic_topology':{'mlx5_0':['PIX','SYS'],'mlx5_1':['SYS','NODE']}}");
	struct metadata metadata;
	CHECK_STR(metadata_decode(root, &metadata), NULL);
	json_decref(root);
	metadata.of_bus = of_bus;
	const struct criteria criteria = {
		.rules = &rules, .metadata = &metadata, .default_interface = default_interface};

	struct strbuf out = {0};
	CHECK_INT(annotate_scan(scan, &criteria, memory, &out), 0);
	metadata_fini(&metadata);
	return parsed_records_new(scan, &out);
}

static json_t *
records_new(struct scanbuf *scan, const char *default_interface, struct memory *memory)
{
	return records_by_new(scan, default_interface, false, memory);
}

static const char *
field(const json_t *records, size_t index, const char *key)
{
	return json_string_value(json_object_get(json_array_get(records, index), key));
}

static bool
is_monitored(const json_t *records, size_t index)
{
	return json_is_true(json_object_get(json_array_get(records, index), "monitored"));
}

#define BEGIN "{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}"
#define DEVICE(n, more) \
	"{'kind':'device','scan':1,'device':'mlx5_" n "','pci':'0000:18:00." n \
	"','numa_node':0,'ports':1" more "}"
#define PORT(n, layer) \
	"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'mlx5_" n \
	"','port':1,'link_layer':'" layer "'}"
#define END "{'kind':'scan.end','scan':1,'devices':2,'ports':2,'complete':true}"

static void
whole_scan(void)
{
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, BEGIN);
	add(&scan, DEVICE("0", ""));
	add(&scan, PORT("0", "Ethernet"));
	add(&scan, "{'kind':'other','role':'untouched'}");
	add(&scan, DEVICE("1", ",'netdevs':[{'name':'eth1','uppers':['bond0']}]"));
	add(&scan, PORT("1", "Ethernet"));
	add(&scan, END);
	json_t *records = records_new(&scan, "bond0", &memory);
	CHECK_INT((int64_t)json_array_size(records), 7);

	json_t *topology = json_object_get(json_array_get(records, 0), "topology");
	json_t *expected = check_json_new("{'gpu_numa':[0,1],'default_route_device':'mlx5_1','nics'"
					  ":2,'absent':[],'lost':[]}");
	CHECK(json_equal(topology, expected));
	json_decref(expected);

	CHECK_STR(field(records, 1, "role"), "compute");
	CHECK_STR(field(records, 1, "reason"), "topo_pix_pxb");
	CHECK_STR(field(records, 1, "card"), "0000:18:00");
	CHECK(is_monitored(records, 1));
	CHECK_STR(field(records, 2, "role"), "compute");
	CHECK_STR(field(records, 2, "card"), "0000:18:00");
	CHECK(is_monitored(records, 2));
	CHECK_STR(field(records, 3, "role"), "untouched");
	CHECK_INT((int64_t)json_object_size(json_array_get(records, 3)), 2);
	CHECK_STR(field(records, 4, "reason"), "default_route");
	CHECK(!is_monitored(records, 4));
	CHECK_STR(field(records, 5, "role"), "management");
	CHECK(!is_monitored(records, 5));
	CHECK_INT((int64_t)json_object_size(json_array_get(records, 6)), 5);
	json_decref(records);
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
bus_has_no_absent_nics(void)
{
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, BEGIN);
	json_t *records = records_by_new(&scan, NULL, true, &memory);
	const json_t *topology = json_object_get(json_array_get(records, 0), "topology");
	CHECK_INT(json_integer_value(json_object_get(topology, "nics")), 0);
	json_decref(records);
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
route_is_remembered(void)
{
	/* A management NIC that loses its link also loses its route, and must not become a
	 * monitored NIC that is down. */
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	for (int round = 0; round < 2; round++) {
		add(&scan, BEGIN);
		add(&scan, DEVICE("0", ",'netdevs':[{'name':'eth0','uppers':[]}]"));
		json_t *records = records_new(&scan, round == 0 ? "eth0" : NULL, &memory);
		check_row("round %d", round);
		CHECK_STR(field(records, 1, "reason"), "default_route");
		json_decref(records);
	}
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
role_is_kept(void)
{
	static const struct {
		const char *device, *unreadable, *role, *reason;
	} rows[] = {
		{DEVICE("0", ""), DEVICE("0", ",'error':'EIO'"), "compute", "topo_pix_pxb"},
		{DEVICE("1", ""),
			"{'kind':'device','scan':2,'device':'mlx5_1','ports':0,'error':'EIO'}",
			"storage", "topo_node_phb"},
		{"{'kind':'device','scan':1,'device':'x','driver':'mlx5_core',"
		 "'pci':'0000:18:00.2','numa_node':-1,'ports':1}",
			"{'kind':'device','scan':2,'device':'x','ports':0,'error':'EIO'}",
			"management", "numa_unknown"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanbuf scan = {0};
		struct memory memory;
		check_row("%s", rows[i].reason);
		CHECK_INT(memory_init(&memory), 0);
		add(&scan, rows[i].device);
		json_decref(records_new(&scan, NULL, &memory));
		/* Now it is unreadable. */
		add(&scan, rows[i].unreadable);
		json_t *records = records_new(&scan, NULL, &memory);
		CHECK_STR(field(records, 0, "role"), rows[i].role);
		CHECK_STR(field(records, 0, "reason"), rows[i].reason);
		/* Without its card its neighbours would be evaluated without it. */
		CHECK_STR(field(records, 0, "card"), "0000:18:00");
		json_decref(records);
		scanbuf_fini(&scan);
		memory_fini(&memory);
		CHECK(memory.verdicts == NULL);
	}
}

/* Annotate an extra scan; return its records, to release. */
static json_t *
extra_records_new(struct scanbuf *scan, struct memory *memory)
{
	struct strbuf out = {0};
	CHECK_INT(annotate_extra(scan, memory, &out), 0);
	return parsed_records_new(scan, &out);
}

static void
extra_scan(void)
{
	/* An extra scan has no other devices to compare with, and the default route may be gone
	 * with its link. A device that no scan had is no evidence. */
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, BEGIN);
	add(&scan, DEVICE("0", ""));
	add(&scan, DEVICE("1", ",'netdevs':[{'name':'eth1','uppers':[]}]"));
	json_decref(records_new(&scan, "eth1", &memory));

	add(&scan, BEGIN);
	add(&scan, "{'kind':'device','scan':1,'device':'mlx5_0','ports':1}");
	add(&scan, PORT("0", "InfiniBand"));
	add(&scan, DEVICE("1", ""));
	add(&scan, PORT("1", "Ethernet"));
	add(&scan, "{'kind':'other'}");
	add(&scan, DEVICE("2", ""));
	add(&scan, PORT("2", "Ethernet"));
	add(&scan, END);
	json_t *records = extra_records_new(&scan, &memory);
	CHECK_INT((int64_t)json_array_size(records), 9);
	CHECK(json_object_get(json_array_get(records, 0), "topology") == NULL);
	CHECK_STR(field(records, 1, "reason"), "topo_pix_pxb");
	CHECK_STR(field(records, 1, "card"), "0000:18:00");
	CHECK_STR(field(records, 2, "role"), "compute");
	CHECK_STR(field(records, 2, "card"), "0000:18:00");
	CHECK(is_monitored(records, 1) && is_monitored(records, 2));
	CHECK_STR(field(records, 3, "reason"), "default_route");
	CHECK(!is_monitored(records, 3) && !is_monitored(records, 4));
	CHECK_INT((int64_t)json_object_size(json_array_get(records, 5)), 1);
	CHECK(!is_monitored(records, 6) && !is_monitored(records, 7));
	json_decref(records);

	/* An extra scan changes no memory. */
	CHECK(!memory_verdict(&memory, "mlx5_2", &(struct verdict){0}));
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

#define NAMED(name, pci, more) \
	"{'kind':'device','scan':1,'device':'" name \
	"','driver':'mlx5_core','pci':'0000:18:00." pci "','numa_node':0,'ports':1" more "}"
#define ETH0 ",'netdevs':[{'name':'eth0','uppers':[]}]"

static void
names_exchanged(void)
{
	/* First function 0 is mlx5_0 and carries the default route, and function 1 is mlx5_1. */
	static const struct {
		const char *name, *second, *third; /* scans, of one device each */
		bool extra;                        /* the second one is */
		const char *role, *reason;         /* of the last scan */
	} rows[] = {
		{"the device that carried the default route, under the other's name",
			NAMED("mlx5_1", "0", ""), NULL, false, "management", "default_route"},
		{"... and back again", NAMED("mlx5_1", "0", ""), NAMED("mlx5_0", "0", ""), false,
			"management", "default_route"},
		{"... under a new name", NAMED("roce0", "0", ""), NULL, false, "management",
			"default_route"},
		{"... and cannot be read", NAMED("mlx5_1", "0", ",'error':'EIO'"), NULL, false,
			"management", "default_route"},
		{"... nor its function, next time", NAMED("mlx5_1", "0", ",'error':'EIO'"),
			"{'kind':'device','scan':1,'device':'mlx5_1','error':'EIO','ports':0}",
			false, "management", "default_route"},
		{"... in an extra scan", NAMED("mlx5_1", "0", ""), NULL, true, "management",
			"default_route"},
		{"the other device, under its name", NAMED("mlx5_0", "1", ""), NULL, false,
			"compute", "topo_pix_pxb"},
		{"... and back again", NAMED("mlx5_0", "1", ""), NAMED("mlx5_1", "1", ""), false,
			"storage", "topo_node_phb"},
		{"... and cannot be read", NAMED("mlx5_0", "1", ",'error':'EIO'"), NULL, false,
			"storage", "topo_node_phb"},
		{"... in an extra scan", NAMED("mlx5_0", "1", ""), NULL, true, "storage",
			"topo_node_phb"},
		{"... and with its interface's name, while no default route exists",
			NAMED("mlx5_0", "1", ETH0), NULL, false, "compute", "topo_pix_pxb"},
		{"a third device, under its name", NAMED("mlx5_0", "2", ""), NULL, false, "compute",
			"topo_pix_pxb"},
		{"... and cannot be read", NAMED("mlx5_0", "2", ",'error':'EIO'"), NULL, false,
			NULL, "unreadable"},
		{"a part of it, and then the other device, unreadable",
			NAMED("x", "1", ",'parent':'mlx5_1'"), NAMED("y", "1", ",'error':'EIO'"),
			false, "storage", "topo_node_phb"},
		{"the function is unknown",
			"{'kind':'device','scan':1,'device':'mlx5_0','numa_node':0,'ports':1}",
			NULL, false, "management", "default_route"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanbuf scan = {0};
		struct memory memory;
		check_row("%s", rows[i].name);
		CHECK_INT(memory_init(&memory), 0);
		add(&scan, NAMED("mlx5_0", "0", ETH0));
		add(&scan, NAMED("mlx5_1", "1", ""));
		json_decref(records_new(&scan, "eth0", &memory));
		add(&scan, rows[i].second);
		json_t *records = rows[i].extra ? extra_records_new(&scan, &memory)
						: records_new(&scan, NULL, &memory);
		if (rows[i].third != NULL) {
			json_decref(records);
			add(&scan, rows[i].third);
			records = records_new(&scan, NULL, &memory);
		}
		CHECK_STR(field(records, 0, "role"), rows[i].role);
		CHECK_STR(field(records, 0, "reason"), rows[i].reason);
		json_decref(records);
		scanbuf_fini(&scan);
		memory_fini(&memory);
	}
}

#define SUBFUNCTION(name, card, more) \
	"{'kind':'device','scan':1,'device':'" name "','driver':'mlx5_core.sf','pci':'0000:" card \
	":00.0','vf':true,'numa_node':-1,'ports':1" more "}"

static void
subfunctions(void)
{
	/* It has the PCI address of the function that it is a part of. */
	static const struct {
		const char *name, *first[2], *second; /* the devices of two scans */
		const char *role, *reason;            /* of the last scan */
	} rows[] = {
		{"is there later, where the function has carried the default route",
			{NAMED("mlx5_1", "0", ETH0)}, SUBFUNCTION("mlx5_0", "18", ""), NULL,
			"virtual_function"},
		{"... which it carried itself, and the function is renamed",
			{NAMED("mlx5_1", "0", ""), SUBFUNCTION("mlx5_0", "18", ETH0)},
			NAMED("mlx5_9", "0", ""), "storage", "not_in_topology"},
		{"is read, and then the function cannot be",
			{NAMED("mlx5_1", "0", ""), SUBFUNCTION("mlx5_0", "18", "")},
			NAMED("mlx5_9", "0", ",'error':'EIO'"), "storage", "topo_node_phb"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanbuf scan = {0};
		struct memory memory;
		check_row("%s", rows[i].name);
		CHECK_INT(memory_init(&memory), 0);
		for (size_t j = 0; j < CHECK_COUNT(rows[i].first); j++)
			if (rows[i].first[j] != NULL)
				add(&scan, rows[i].first[j]);
		json_decref(records_new(&scan, "eth0", &memory));
		add(&scan, rows[i].second);
		json_t *records = records_new(&scan, NULL, &memory);
		CHECK_STR(field(records, 0, "role"), rows[i].role);
		CHECK_STR(field(records, 0, "reason"), rows[i].reason);
		json_decref(records);
		scanbuf_fini(&scan);
		memory_fini(&memory);
	}
}

static void
full(void)
{
	static const char *const lines[] = {
		BEGIN, DEVICE("0", ""), PORT("0", "Ethernet"), END, "{'kind':'other'}"};
	const struct metadata nothing = {0};
	const struct criteria criteria = {.rules = &rules, .metadata = &nothing};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		struct scanbuf scan = {0};
		struct memory memory;
		CHECK_INT(memory_init(&memory), 0);
		add(&scan, lines[i]);
		check_row("%s", lines[i]);
		char room[8];
		struct strbuf out;
		strbuf_init(&out, room, sizeof room);
		CHECK(annotate_scan(&scan, &criteria, &memory, &out) < 0);
		strbuf_init(&out, room, sizeof room);
		CHECK(annotate_extra(&scan, &memory, &out) < 0);
		scanbuf_clear(&scan);
		scanbuf_fini(&scan);
		memory_fini(&memory);
	}
}

static void
lost_device(void)
{
	/* The device record was lost: the port gets the role that its device had, or none. */
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, BEGIN);
	add(&scan, DEVICE("0", ""));
	add(&scan, PORT("1", "InfiniBand"));
	json_t *records = records_new(&scan, NULL, &memory);
	CHECK_STR(field(records, 2, "role"), NULL);
	CHECK(!is_monitored(records, 2));
	CHECK_STR(field(records, 2, "card"), NULL);
	json_decref(records);

	add(&scan, DEVICE("1", ""));
	json_decref(records_new(&scan, NULL, &memory));
	add(&scan, PORT("1", "InfiniBand"));
	records = records_new(&scan, NULL, &memory);
	CHECK_STR(field(records, 0, "role"), "storage");
	CHECK(is_monitored(records, 0));
	json_decref(records);
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
twice_is_once(void)
{
	/* topoclass after topoclass: the second one counts. */
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, "{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1,'topology':{}}");
	add(&scan, DEVICE("0", ",'role':'storage','monitored':false,'reason':'vendor','card':'x'"));
	add(&scan, "{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'mlx5_0','port':1,"
		   "'role':'storage','monitored':false}");
	json_t *records = records_new(&scan, NULL, &memory);
	CHECK_INT(
		(int64_t)json_object_size(json_object_get(json_array_get(records, 0), "topology")),
		5);
	CHECK_STR(field(records, 1, "role"), "compute");
	CHECK_STR(field(records, 1, "reason"), "topo_pix_pxb");
	CHECK_STR(field(records, 1, "card"), "0000:18:00");
	CHECK(is_monitored(records, 1));
	CHECK_STR(field(records, 2, "role"), "compute");
	CHECK(is_monitored(records, 2));
	json_decref(records);
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

/* A device that the metadata do not know gets its role by its link layer. */
#define STRANGER(name, more) \
	"{'kind':'device','scan':1,'device':'" name \
	"','driver':'mlx5_core','numa_node':0,'ports':2" more "}"
#define PORT_OF(name, number, layer) \
	"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'" name "','port':" number \
	",'link_layer':'" layer "'}"
#define OTHER "{'kind':'other'}"

/* Check the role of the first device of the lines. `behind` is a record of an earlier scan behind
 * their end; NULL: none. */
static void
check_role(const char *const lines[], size_t count, const char *behind, const char *interface,
	const char *role, const char *reason)
{
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	for (size_t i = 0; i < count; i++) {
		if (lines[i] != NULL)
			add(&scan, lines[i]);
	}
	size_t ours = scan.count;
	if (behind != NULL)
		add(&scan, behind);
	scan.count = ours;
	json_t *records = records_new(&scan, interface, &memory);
	CHECK_STR(field(records, 0, "role"), role);
	CHECK_STR(field(records, 0, "reason"), reason);
	json_decref(records);
	if (behind != NULL) {
		scan.lines[0] = scan.lines[ours];
		scan.count = 1;
		scanbuf_clear(&scan);
	}
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
link_layers(void)
{
	static const char infiniband[] = "link_layer_infiniband", other[] = "not_in_topology";
	static const struct {
		const char *name;
		const char *lines[5];
		const char *role, *reason;
	} rows[] = {
		{"no port", {STRANGER("x0", "")}, "storage", other},
		{"its only port", {STRANGER("x0", ""), PORT_OF("x0", "1", "InfiniBand")}, "compute",
			infiniband},
		{"port 1, the first",
			{STRANGER("x0", ""), PORT_OF("x0", "1", "InfiniBand"),
				PORT_OF("x0", "2", "Ethernet")},
			"compute", infiniband},
		{"port 1, the last",
			{STRANGER("x0", ""), PORT_OF("x0", "2", "Ethernet"),
				PORT_OF("x0", "3", "Ethernet"), PORT_OF("x0", "1", "InfiniBand")},
			"compute", infiniband},
		{"port 1 is not",
			{STRANGER("x0", ""), PORT_OF("x0", "2", "InfiniBand"),
				PORT_OF("x0", "1", "Ethernet")},
			"storage", other},
		{"without port 1 the first",
			{STRANGER("x0", ""), PORT_OF("x0", "2", "InfiniBand"),
				PORT_OF("x0", "3", "Ethernet")},
			"compute", infiniband},
		{"without port 1 no later one",
			{STRANGER("x0", ""), PORT_OF("x0", "2", "Ethernet"),
				PORT_OF("x0", "3", "InfiniBand")},
			"storage", other},
		{"behind other records",
			{STRANGER("x0", ""), OTHER, OTHER, PORT_OF("x0", "1", "InfiniBand")},
			"compute", infiniband},
		{"another device's port", {STRANGER("x0", ""), PORT_OF("y0", "1", "InfiniBand")},
			"storage", other},
		{"its port behind another's",
			{STRANGER("x0", ""), PORT_OF("y0", "1", "Ethernet"),
				PORT_OF("x0", "1", "InfiniBand")},
			"storage", other},
		{"its port behind another device",
			{STRANGER("x0", ""), STRANGER("y0", ""), PORT_OF("x0", "1", "InfiniBand")},
			"storage", other},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].name);
		check_role(rows[i].lines, CHECK_COUNT(rows[i].lines),
			PORT_OF("x0", "1", "InfiniBand"), NULL, rows[i].role, rows[i].reason);
	}
}

#define PLANE(more) STRANGER("smi1", ",'parent':'mlx5_0'" more)
#define ON(pci) ",'pci':'" pci "'"
#define MANAGEMENT \
	"{'kind':'device','scan':1,'device':'x0','driver':'mlx5_core','numa_node':-1,'ports':" \
	"1" ON("0000:19:00.0") "}"

/* mlx5_0 is for compute, mlx5_1 for storage; a plane has the role of its NIC. */
static void
planes(void)
{
	static const char sub[] = "sub_device";
	static const struct {
		const char *name;
		const char *lines[4];
		const char *role;
	} rows[] = {
		{"no NIC of that name", {PLANE("")}, NULL},
		{"the NIC behind it", {PLANE(""), STRANGER("mlx5_1", ""), STRANGER("mlx5_0", "")},
			"compute"},
		{"the NIC before others",
			{PLANE(""), STRANGER("mlx5_0", ""), STRANGER("mlx5_1", "")}, "compute"},
		{"the name counts for more than the function",
			{PLANE(ON("0000:18:00.0")), STRANGER("mlx5_1", ON("0000:18:00.0")),
				STRANGER("mlx5_0", "")},
			"compute"},
		{"a NIC of another name, on the function",
			{PLANE(ON("0000:18:00.0")), MANAGEMENT,
				STRANGER("mlx5_1", ON("0000:18:00.0"))},
			"storage"},
		{"a NIC of another name, before others",
			{PLANE(ON("0000:18:00.0")), STRANGER("mlx5_1", ON("0000:18:00.0")),
				MANAGEMENT, STRANGER("y0", "")},
			"storage"},
		{"another plane on the function",
			{PLANE(ON("0000:18:00.0")),
				STRANGER("smi2", ",'parent':'mlx5_9'" ON("0000:18:00.0"))},
			NULL},
		{"a subfunction of the NIC, after it",
			{PLANE(ON("0000:18:00.0")), STRANGER("mlx5_1", ON("0000:18:00.0")),
				SUBFUNCTION("mlx5_2", "18", "")},
			"storage"},
		{"the function is unknown", {PLANE(""), STRANGER("mlx5_1", ON("0000:18:00.0"))},
			NULL},
		{"the other's function is unknown",
			{PLANE(ON("0000:18:00.0")), STRANGER("mlx5_1", "")}, NULL},
		{"neither is", {PLANE(""), STRANGER("mlx5_1", "")}, NULL},
		{"a port of the NIC is not a NIC",
			{PLANE(ON("0000:18:00.0")), PORT_OF("mlx5_0", "1", "Ethernet")}, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].name);
		check_role(
			rows[i].lines, CHECK_COUNT(rows[i].lines), NULL, NULL, rows[i].role, sub);
	}
}

/* An interface may lack its name, and its uppers may be malformed. */
static void
odd_interfaces(void)
{
	static const struct {
		const char *line, *reason;
	} rows[] = {
		{STRANGER("mlx5_0", ",'netdevs':[{'name':'eth0','uppers':[]}]"), "default_route"},
		{STRANGER("mlx5_0", ",'netdevs':[{'name':'x','uppers':['y','eth0']}]"),
			"default_route"},
		{STRANGER("mlx5_0", ",'netdevs':[{'uppers':['eth0']}]"), "default_route"},
		{STRANGER("mlx5_0", ",'netdevs':[{'name':7,'uppers':[7,null,'eth0']}]"),
			"default_route"},
		{STRANGER("mlx5_0", ",'netdevs':[{'name':'x','uppers':['y']},{}]"), "topo_pix_pxb"},
		{STRANGER("mlx5_0", ",'netdevs':[{'name':'eth','uppers':['eth00']}]"),
			"topo_pix_pxb"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *const lines[] = {rows[i].line};
		check_row("%s", rows[i].line);
		check_role(lines, 1, STRANGER("mlx5_0", ",'netdevs':[{'name':'eth0','uppers':[]}]"),
			"eth0",
			strcmp(rows[i].reason, "default_route") == 0 ? "management" : "compute",
			rows[i].reason);
	}
}

/* A device that was a part of another one, and is its own device now, can be absent. */
static void
part_no_more(void)
{
	static const struct {
		const char *second, *absent;
	} rows[] = {
		{DEVICE("1", ""), "['mlx5_1']"},
		{DEVICE("1", ",'parent':'mlx5_0'"), "[]"},
		/* The record of an unreadable device does not show whether it is a part. */
		{DEVICE("1", ",'error':'EIO'"), "[]"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanbuf scan = {0};
		struct memory memory;
		const char *const devices[] = {
			DEVICE("1", ",'parent':'mlx5_0'"), rows[i].second, NULL};
		json_t *records = NULL;
		check_row("%s", rows[i].second);
		CHECK_INT(memory_init(&memory), 0);
		for (size_t n = 0; n < CHECK_COUNT(devices); n++) {
			add(&scan, BEGIN);
			add(&scan, DEVICE("0", ""));
			if (devices[n] != NULL)
				add(&scan, devices[n]);
			json_decref(records);
			records = records_new(&scan, NULL, &memory);
		}
		json_t *expected = check_json_new(rows[i].absent);
		const json_t *topology = json_object_get(json_array_get(records, 0), "topology");
		CHECK(json_equal(json_object_get(topology, "absent"), expected));
		json_decref(expected);
		json_decref(records);
		scanbuf_fini(&scan);
		memory_fini(&memory);
	}
}

static const struct check_test tests[] = {
	{"a record's text is kept byte for byte before the added fields", keeps_text},
	{"white space after a record is removed, within it kept", trailing_space},
	{"an annotated record gets the new values", second_time},
	{"texts of every length are annotated", every_length},
	{"devices and ports of a scan get their roles, and other records stay unchanged",
		whole_scan},
	{"of a PCI bus no NICs are expected that are not there", bus_has_no_absent_nics},
	{"a device that once carried the default route stays a management device",
		route_is_remembered},
	{"an unreadable device keeps its role and its card", role_is_kept},
	{"in an extra scan each device has its role of the scan before", extra_scan},
	{"a device is remembered by its PCI function, whichever device has its name",
		names_exchanged},
	{"a subfunction and its parent function do not take each other's role", subfunctions},
	{"a record without room in memory is an error", full},
	{"a port without its device record gets its device's last role, or none", lost_device},
	{"a device without a row gets its role by the link layer of port 1, or its first port",
		link_layers},
	{"a plane has the role of its parent NIC by name, or else by PCI function", planes},
	{"a malformed interface carries no route, but its valid uppers may", odd_interfaces},
	{"a part that became its own device can be absent", part_no_more},
	{"annotating twice gives the result of the second criteria", twice_is_once},
};
CHECK_MAIN(tests)
