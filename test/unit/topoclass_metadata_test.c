/* Unit tests of topoclass's metadata: the GPUs' NUMA nodes, and the distance of each NIC to the
 * GPUs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/metadata.h"

#include "check.h"
#include "diag.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Decode `text`; return the messages on stderr, to free(). */
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
			   "'mlx5_1':['SYS','SYS','SYS','SYS','SYS','SYS']},'more':1,"
			   "'unbound':{'0000:03:00.0':['PXB','SYS','SYS','SYS','SYS','SYS']}}",
			&metadata, &reason);
	CHECK_STR(reason, NULL);
	CHECK_HAS(said, "warning: metadata: 2 of the 6 GPUs have no known NUMA node: ");
	CHECK_INT((int64_t)metadata.gpu_count, 6);
	if (CHECK_INT((int64_t)metadata.gpu_numa_count, 2)) {
		CHECK_INT(metadata.gpu_numa[0], 0);
		CHECK_INT(metadata.gpu_numa[1], 1);
	}
	CHECK_INT((int64_t)json_object_size(metadata.rows), 2);
	CHECK(metadata_unbound_row(&metadata, "0000:03:00.0").pix_or_pxb);
	CHECK(!metadata_unbound_row(&metadata, "mlx5_0").present);
	CHECK(!metadata_row(&metadata, "0000:03:00.0").present);
	metadata_fini(&metadata);
	CHECK(metadata.rows == NULL);
	free(said);
}

/* Several orders of the nodes, some with repetitions. */
static void
numa_nodes(void)
{
	static const struct {
		const char *gpus;
		size_t count;
	} rows[] = {
		{"{'numa_node':0}", 1},
		{"{'numa_node':0},{'numa_node':0}", 1},
		{"{'numa_node':0},{'numa_node':1}", 2},
		{"{'numa_node':1},{'numa_node':0}", 2},
		{"{'numa_node':1},{'numa_node':2},{'numa_node':0}", 3},
		{"{'numa_node':2},{'numa_node':1},{'numa_node':0}", 3},
		{"{'numa_node':3},{'numa_node':1},{'numa_node':2},{'numa_node':0},{'numa_node':1}",
			4},
		{"{'numa_node':0},{'numa_node':1},{'numa_node':2},{'numa_node':3},{'numa_node':3}",
			4},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct metadata metadata;
		const char *reason;
		char *gpu = check_replaced_new(strdup(rows[i].gpus), "'numa_node'", "");
		size_t cells = check_occurrences(gpu, ":");
		char text[400], row[100] = "'SYS'";
		for (size_t n = 1; n < cells; n++)
			strcat(row, ",'SYS'");
		snprintf(text, sizeof text, "{'gpus':[%s],'nic_topology':{'mlx5_0':[%s]}}",
			rows[i].gpus, row);
		char *said = decode_new(text, &metadata, &reason);
		check_row("%s", rows[i].gpus);
		CHECK_STR(reason, NULL);
		CHECK_STR(said, "");
		CHECK_U64(metadata.gpu_numa_count, rows[i].count);
		for (size_t n = 0; n < metadata.gpu_numa_count; n++)
			CHECK_INT(metadata.gpu_numa[n], (int64_t)n);
		metadata_fini(&metadata);
		free(said);
		free(gpu);
	}
}

#define NO_NICS "no NICs in it (\"nic_topology\" is missing)"
#define NO_ROW "no row of its \"nic_topology\" is usable"

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
		{"{'gpus':[{'numa_node':0}]}", NO_NICS},
		{"{'gpus':[{'numa_node':0}],'nic_topology':null}", NO_NICS},
		{"{'gpus':[{'numa_node':0}],'nic_topology':[]}", NO_NICS},
		{"{'gpus':[{'numa_node':0}],'nic_topology':''}", NO_NICS},
		{"{'gpus':[{'numa_node':0}],'nic_topology':['mlx5_0']}", NO_NICS},
		{"{'gpus':[{'numa_node':0}],'nic_topology':{'mlx5_0':[]}}", NO_ROW},
		{"{'gpus':[{'numa_node':0}],'nic_topology':{'mlx5_0':null,'mlx5_1':{}}}", NO_ROW},
		{"{'gpus':[{'numa_node':0}],'nic_topology':{'a':'PIX','b':['PIX','PIX'],'c':['']}}",
			NO_ROW},
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
			"'nic_topology':{'bad0':%s,'good':['NV2','SYS']},"
			"'unbound':{'0000:03:00.0':%s,'0000:04:00.0':['SYS','PIX']}}",
			bad[i], bad[i]);
		char *said = decode_new(text, &metadata, &reason);
		check_row("%s", bad[i]);
		CHECK_STR(reason, NULL);
		CHECK_INT((int64_t)check_occurrences(said, "\n"), 2);
		CHECK_HAS(said, "nic_topology of bad0 is not");
		CHECK_HAS(said, "unbound of 0000:03:00.0 is not");
		CHECK(!metadata_row(&metadata, "bad0").present);
		CHECK(metadata_row(&metadata, "good").present);
		CHECK(!metadata_unbound_row(&metadata, "0000:03:00.0").present);
		CHECK(metadata_unbound_row(&metadata, "0000:04:00.0").present);
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

	/* Reading a file that is written without end would never end. */
	unlink(path);
	CHECK_INT(mkfifo(path, 0600), 0);
	int both = open(path, O_RDWR | O_CLOEXEC);
	CHECK(write(both, good, strlen(good)) > 0);
	CHECK_STR(metadata_load(&source, &metadata), "not a regular file");
	close(both);

	unlink(path);
	CHECK(metadata_changed(&source));
	CHECK_STR(metadata_load(&source, &metadata), "No such file or directory");
	CHECK(!metadata_changed(&source));
	check_file("m.json", good);
	CHECK(metadata_changed(&source));
}

/* One property changes at a time; the others stay equal. */
static void
changes(void)
{
	static const struct {
		const char *name, *content;
		struct timespec at;
		bool changed;
	} rows[] = {
		{"c.json", "{}", {100, 5}, false},
		{"c.json", "{}", {101, 5}, true},
		{"c.json", "{}", {100, 6}, true},
		{"c.json", "{ }", {100, 5}, true},
		{"other.json", "{}", {100, 5}, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char path[200];
		const struct timespec at[2] = {{100, 5}, {100, 5}};
		const struct timespec now[2] = {rows[i].at, rows[i].at};
		struct metadata metadata;
		snprintf(path, sizeof path, "%s", check_file("c.json", "{}"));
		CHECK_INT(utimensat(AT_FDCWD, path, at, 0), 0);
		struct metadata_source source = {.path = path};
		CHECK_STR(metadata_load(&source, &metadata),
			"no GPUs in it (\"gpus\" is empty or missing)");
		const char *written = check_file(rows[i].name, rows[i].content);
		CHECK_INT(utimensat(AT_FDCWD, written, now, 0), 0);
		CHECK_INT(rename(written, path), 0);
		check_row("row %zu", i);
		CHECK_INT(metadata_changed(&source), rows[i].changed);
	}
}

static void
no_gpus(void)
{
	json_t *rows = check_json_new("{'mlx5_0':[],'mlx5_1':['SYS']}");
	const struct metadata metadata = {.rows = rows};
	const struct topo_row row = metadata_row(&metadata, "mlx5_0");
	CHECK(row.present);
	CHECK(!row.all_sys && !row.pix_or_pxb && !row.node_or_phb);
	CHECK(metadata_row(&metadata, "mlx5_1").all_sys);
	json_decref(rows);
}

static const struct check_test tests[] = {
	{"the GPUs' NUMA nodes are sorted, each once, without unknown ones", decodes},
	{"the GPUs' NUMA nodes are sorted, whatever the order of the GPUs", numa_nodes},
	{"metadata without GPUs, NUMA nodes or topology is refused with the reason", refused},
	{"a row without one known word per GPU is skipped and named", bad_rows},
	{"a row gives the distance of its device to the nearest GPU", device_rows},
	{"a row of a node without GPUs is neither near nor far", no_gpus},
	{"without metadata no device has a row", without_metadata},
	{"metadata outlive the JSON that they were decoded from", outlives_root},
	{"a file with another time, size or inode has changed", changes},
	{"a file is loaded, and its changes are noticed", loads},
};
CHECK_MAIN(tests)
