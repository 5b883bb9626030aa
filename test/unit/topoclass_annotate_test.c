/* Unit tests of topoclass' annotate: a scan's records with roles added, and everything else as it came. */
#include "../../tools/topoclass/annotate.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Annotates a text, which may have more than JSON behind it. NULL when it is no record. */
static char *
annotated_new(const char *text, const char *addition_text, size_t *length)
{
	struct rec_error error;
	json_t *record = rec_parse_new(text, strlen(text), &error);
	if (!CHECK(record != NULL))
		return NULL;
	json_t *addition = check_json_new(addition_text);
	char *out = annotate_text_new(text, strlen(text), record, addition, length);
	json_decref(addition);
	json_decref(record);
	return out;
}

static void
check_annotated(const char *text, const char *addition, const char *expected)
{
	size_t length = 0;
	check_row("%s", text);
	char *out = annotated_new(text, addition, &length);
	CHECK_STR(out, expected);
	CHECK_INT((int64_t)length, (int64_t)strlen(expected));
	free(out);
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
	/* A null that is there is a key that is there. */
	check_annotated("{\"role\":null,\"kind\":\"x\"}", "{'role':'storage'}",
		"{\"role\":\"storage\",\"kind\":\"x\"}\n");
	/* The same key deeper down is another. */
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

/* Annotates the buffered scan and clears it; the output is an array of records, to be freed. */
static json_t *
records_new(struct scanbuf *scan, const char *default_interface, struct memory *memory)
{
	json_t *root = check_json_new(
		"{'gpus':[{'numa_node':0}],'nic_topology':{'mlx5_0':['PIX'],'mlx5_1':['NODE']}}");
	struct metadata metadata;
	CHECK_STR(metadata_decode(root, &metadata), NULL);
	json_decref(root);
	const struct judgement judgement = {
		.rules = &rules, .metadata = &metadata, .default_interface = default_interface};

	check_capture(STDOUT_FILENO);
	CHECK_INT(annotate_scan(scan, &judgement, memory, STDOUT_FILENO), 0);
	char *text = check_captured_new(STDOUT_FILENO);
	scanbuf_clear(scan);
	metadata_fini(&metadata);

	json_t *records = json_array();
	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
		json_array_append_new(records, json_loads(line, 0, NULL));
	free(text);
	return records;
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
	json_t *expected = check_json_new(
		"{'gpu_numa':[0],'default_route_device':'mlx5_1','nics':2,'absent':[]}");
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
route_is_remembered(void)
{
	/* A management NIC that loses its link loses its route, and must not become a monitored one that is down. */
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
	struct scanbuf scan = {0};
	struct memory memory;
	CHECK_INT(memory_init(&memory), 0);
	add(&scan, DEVICE("1", ""));
	json_decref(records_new(&scan, NULL, &memory));
	/* Now nothing of it can be read. */
	add(&scan, "{'kind':'device','scan':2,'device':'mlx5_1','ports':0,'error':'EIO'}");
	json_t *records = records_new(&scan, NULL, &memory);
	CHECK_STR(field(records, 0, "role"), "storage");
	CHECK_STR(field(records, 0, "reason"), "topo_node_phb");
	/* With its card it would leave its neighbours to be judged without it. */
	CHECK_STR(field(records, 0, "card"), "0000:18:00");
	json_decref(records);
	scanbuf_fini(&scan);
	memory_fini(&memory);
}

static void
lost_device(void)
{
	/* The device record was lost on the way: its port is judged by what the device was, else not at all. */
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
	/* topoclass after topoclass: the second one's word counts. */
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
		4);
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

static const struct check_test tests[] = {
	{"the text is kept byte for byte before what is added", keeps_text},
	{"white space behind a record goes, within it stays", trailing_space},
	{"a record that is annotated already gets the new values", second_time},
	{"texts of every length are annotated", every_length},
	{"a scan's devices and ports get their roles, and other records nothing", whole_scan},
	{"a device that has carried the default route stays a management one", route_is_remembered},
	{"a device that cannot be read keeps its role and its card", role_is_kept},
	{"a port without its device is judged by what the device was, else not at all",
		lost_device},
	{"annotating twice gives the second judgement", twice_is_once},
};
CHECK_MAIN(tests)
