/* Unit tests of topoclass' metadata: where the GPUs are, and how near each NIC is to them. */
#include "../../tools/topoclass/metadata.h"

#include "check.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Decodes `text`; what was said on stderr is to be freed. */
static char *
decode_new(const char *text, struct metadata *out, const char **reason)
{
	json_t *root = check_json_new(text);
	diag_init("t");
	check_capture(STDERR_FILENO);
	*reason = metadata_decode(root, out);
	json_decref(root);
	return check_captured_new(STDERR_FILENO);
}

static void
decodes(void)
{
	struct metadata metadata;
	const char *reason;
	char *said =
		decode_new("{'gpus':[{'numa_node':1,'pci_address':'0000:19:00.0'},{'numa_node':0},"
			   "{'numa_node':1},{'numa_node':-1},{'numa_node':0},{}],"
			   "'nic_topology':{'mlx5_0':['PIX','X','NV18','SYS','NODE','PHB'],"
			   "'mlx5_1':['SYS','SYS','SYS','SYS','SYS','SYS']},'more':1}",
			&metadata, &reason);
	CHECK_STR(reason, NULL);
	CHECK_STR(said, "");
	CHECK_INT((int64_t)metadata.gpu_count, 6);
	if (CHECK_INT((int64_t)metadata.gpu_numa_count, 2)) {
		CHECK_INT(metadata.gpu_numa[0], 0);
		CHECK_INT(metadata.gpu_numa[1], 1);
	}
	CHECK_INT((int64_t)json_object_size(metadata.rows), 2);
	metadata_fini(&metadata);
	CHECK(metadata.rows == NULL);
	free(said);
}

static void
refused(void)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"{}", "no GPUs"},
		{"[]", "no GPUs"},
		{"null", "no GPUs"},
		{"7", "no GPUs"},
		{"{'gpus':[],'nic_topology':{}}", "no GPUs"},
		{"{'gpus':{},'nic_topology':{}}", "no GPUs"},
		{"{'gpus':null,'nic_topology':{}}", "no GPUs"},
		{"{'gpus':[{'numa_node':-1}],'nic_topology':{}}", "NUMA"},
		{"{'gpus':[{}],'nic_topology':{}}", "NUMA"},
		{"{'gpus':[{'numa_node':'0'}],'nic_topology':{}}", "NUMA"},
		{"{'gpus':[{'numa_node':null},7],'nic_topology':{}}", "NUMA"},
		{"{'gpus':[{'numa_node':0}]}", "nic_topology"},
		{"{'gpus':[{'numa_node':0}],'nic_topology':null}", "nic_topology"},
		{"{'gpus':[{'numa_node':0}],'nic_topology':[]}", "nic_topology"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct metadata metadata;
		const char *reason;
		char *said = decode_new(rows[i].text, &metadata, &reason);
		check_row("%s", rows[i].text);
		CHECK_HAS(reason, rows[i].reason);
		CHECK(metadata.gpu_numa == NULL && metadata.rows == NULL);
		CHECK_INT((int64_t)(metadata.gpu_count + metadata.gpu_numa_count), 0);
		free(said);
	}
}

static void
bad_rows(void)
{
	static const char *const bad[] = {"[]", "['PIX']", "['PIX','SYS','SYS']", "['PIX','pix']",
		"['PIX','']", "['PIX',null]", "['PIX',7]", "['PIX','NV']", "['PIX','NV1x']",
		"['PIX','PIXX']", "'PIX'", "null", "{'0':'PIX','1':'PIX'}"};
	for (size_t i = 0; i < CHECK_COUNT(bad); i++) {
		char text[300];
		struct metadata metadata;
		const char *reason;
		snprintf(text, sizeof text,
			"{'gpus':[{'numa_node':0},{'numa_node':0}],"
			"'nic_topology':{'bad0':%s,'good':['NV2','SYS']}}",
			bad[i]);
		char *said = decode_new(text, &metadata, &reason);
		check_row("%s", bad[i]);
		CHECK_STR(reason, NULL);
		CHECK_INT((int64_t)check_occurrences(said, "\n"), 1);
		CHECK_HAS(said, "bad0");
		CHECK(!metadata_row(&metadata, "bad0").present);
		CHECK(metadata_row(&metadata, "good").present);
		metadata_fini(&metadata);
		free(said);
	}
}

static void
device_rows(void)
{
	static const struct {
		const char *cells;
		bool pix_or_pxb, node_or_phb, all_sys;
	} rows[] = {
		{"['SYS','SYS']", false, false, true},
		{"['PIX','SYS']", true, false, false},
		{"['SYS','PXB']", true, false, false},
		{"['NODE','SYS']", false, true, false},
		{"['SYS','PHB']", false, true, false},
		{"['NODE','PIX']", true, true, false},
		{"['NV4','SYS']", false, false, false},
		{"['X','X']", false, false, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[200];
		struct metadata metadata;
		const char *reason;
		snprintf(text, sizeof text,
			"{'gpus':[{'numa_node':0},{'numa_node':0}],'nic_topology':{'mlx5_0':%s}}",
			rows[i].cells);
		char *said = decode_new(text, &metadata, &reason);
		check_row("%s", rows[i].cells);
		if (CHECK_STR(reason, NULL)) {
			struct topo_row row = metadata_row(&metadata, "mlx5_0");
			CHECK(row.present);
			CHECK_INT(row.pix_or_pxb, rows[i].pix_or_pxb);
			CHECK_INT(row.node_or_phb, rows[i].node_or_phb);
			CHECK_INT(row.all_sys, rows[i].all_sys);
			row = metadata_row(&metadata, "mlx5_1");
			CHECK(!row.present && !row.all_sys && !row.pix_or_pxb && !row.node_or_phb);
			metadata_fini(&metadata);
		}
		free(said);
	}
}

static void
without_metadata(void)
{
	const struct metadata nothing = {0};
	struct topo_row row = metadata_row(&nothing, "mlx5_0");
	CHECK(!row.present && !row.all_sys);
}

static void
outlives_root(void)
{
	json_t *root =
		check_json_new("{'gpus':[{'numa_node':0}],'nic_topology':{'mlx5_0':['PIX']}}");
	struct metadata metadata;
	CHECK_STR(metadata_decode(root, &metadata), NULL);
	json_decref(root);
	CHECK(metadata_row(&metadata, "mlx5_0").pix_or_pxb);
	metadata_fini(&metadata);
}

static void
loads(void)
{
	static const char good[] =
		"{\"gpus\":[{\"numa_node\":0}],\"nic_topology\":{\"mlx5_0\":[\"PIX\"]}}";
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("m.json", good));
	struct metadata_source source = {.path = path};
	struct metadata metadata;
	CHECK_STR(metadata_load(&source, &metadata), NULL);
	CHECK_INT((int64_t)metadata.gpu_count, 1);
	metadata_fini(&metadata);
	CHECK(!metadata_changed(&source));

	check_file("m.json", "{\"gpus\":");
	CHECK(metadata_changed(&source));
	CHECK_HAS(metadata_load(&source, &metadata), "not JSON: line 1, column ");
	CHECK(!metadata_changed(&source));
	check_file("m.json", "");
	CHECK_HAS(metadata_load(&source, &metadata), "not JSON");

	unlink(path);
	CHECK(metadata_changed(&source));
	CHECK_STR(metadata_load(&source, &metadata), "No such file or directory");
	CHECK(!metadata_changed(&source));
	check_file("m.json", good);
	CHECK(metadata_changed(&source));
}

static const struct check_test tests[] = {
	{"the GPUs' NUMA nodes come in order, each once, unknown ones left out", decodes},
	{"metadata without GPUs, NUMA nodes or topology is refused with the reason", refused},
	{"a row that is not one known word per GPU is left out and named", bad_rows},
	{"a row says how near its device is to any GPU", device_rows},
	{"without metadata no device has a row", without_metadata},
	{"metadata outlives the JSON it was taken from", outlives_root},
	{"a file is loaded, and seen to have changed", loads},
};
CHECK_MAIN(tests)
