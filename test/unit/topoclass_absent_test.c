/* Unit tests of topoclass's absent: NICs of the GPU metadata that are missing, and those that are
 * certainly lost. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/absent.h"
#include "../../tools/topoclass/annotate.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct rx_list no_expressions;
static const int64_t numa_0[] = {0};

static void
add(struct scanbuf *scan, const char *text)
{
	struct rec_error error = {.reason = ""};
	char *copy = check_replaced_new(strdup(text), "'", "\"");
	struct scanbuf_line line = {
		.text = copy, .length = strlen(copy), .json = check_json_new(text)};
	line.kind = scanrec_kind(line.json);
	if (line.kind == SCANREC_DEVICE)
		CHECK(scanrec_decode_device(line.json, &line.device, &error));
	CHECK_STR(error.reason, "");
	CHECK_INT(scanbuf_add(scan, &line), 0);
	free(copy);
}

/* The row of a NIC, with its distance to the only GPU. */
#define ROW(name, near) "'" name "':['" near "']"

/* A NIC that is present; `more` are further fields of its record. */
#define NIC(name, more) \
	"{'kind':'device','scan':1,'device':'" name "','ports':1,'numa_node':0,'vf':false," \
	"'driver':'mlx5_core'" more "}"
#define NETDEV(name, upper) ",'netdevs':[{'name':'" name "','uppers':[" upper "]}]"

struct row {
	const char *name;
	const char *topology;  /* rows */
	const char *nics[4];   /* that are present */
	const char *interface; /* of the default route; `-`: of one that is gone; NULL: none */
	const char *absent, *lost;
};

/* Records of an earlier scan behind the end must not count. */
#define OLD_DEVICE \
	"{'kind':'device','scan':1,'device':'mlx5_1','ports':1,'numa_node':0,'vf':true," \
	"'driver':'mlx5_core','pci':'0000:02:00.0'}"
#define OLD_END "{'kind':'scan.end','scan':1,'devices':9,'ports':0,'complete':true}"

/* Annotate a scan with `behind` left behind its end; return the topology of its beginning, to
 * release. */
static json_t *
topology_new(const struct row *row, const struct rules *rules, bool names_devices,
	struct memory *memory, const char *end, const char *behind)
{
	struct scanbuf scan = {0};
	struct metadata metadata;
	char text[600];
	snprintf(
		text, sizeof text, "{'gpus':[{'numa_node':0}],'nic_topology':{%s}}", row->topology);
	json_t *root = check_json_new(text);
	CHECK_STR(metadata_decode(root, &metadata), NULL);
	json_decref(root);

	size_t count = 0;
	add(&scan, "{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}");
	for (; count < CHECK_COUNT(row->nics) && row->nics[count] != NULL; count++)
		add(&scan, row->nics[count]);
	snprintf(text, sizeof text,
		"{'kind':'scan.end','scan':1,'devices':%zu,'ports':0,'complete':true%s}", count,
		end != NULL ? end : "");
	if (end == NULL || *end != '\0')
		add(&scan, text);

	const char *interface = row->interface;
	bool is_gone = interface != NULL && *interface == '-';
	const struct criteria criteria = {.rules = rules,
		.metadata = &metadata,
		.default_interface = is_gone ? NULL : interface,
		.last_interface = is_gone ? interface + 1 : interface,
		.names_devices = names_devices};
	add(&scan, behind);
	scan.count--;
	struct strbuf out = {0};
	CHECK_INT(annotate_scan(&scan, &criteria, memory, &out), 0);
	scan.count++;
	json_t *begin = json_loads(out.bytes, JSON_DISABLE_EOF_CHECK, NULL);
	json_t *topology = json_incref(json_object_get(begin, "topology"));
	json_decref(begin);
	strbuf_fini(&out);
	scanbuf_clear(&scan);
	scanbuf_fini(&scan);
	metadata_fini(&metadata);
	return topology;
}

static void
check_topology(json_t *topology, const char *absent, const char *lost)
{
	json_t *expected = check_json_new(absent);
	CHECK(json_equal(json_object_get(topology, "absent"), expected));
	json_decref(expected);
	expected = check_json_new(lost);
	if (!CHECK(json_equal(json_object_get(topology, "lost"), expected))) {
		char *text = json_dumps(topology, 0);
		CHECK_STR(text, lost);
		free(text);
	}
	json_decref(expected);
	json_decref(topology);
}

static void
check_rows(const struct row *rows, size_t count, const struct rules *rules)
{
	for (size_t i = 0; i < count; i++) {
		struct memory memory;
		check_row("%s", rows[i].name);
		CHECK_INT(memory_init(&memory), 0);
		check_topology(topology_new(&rows[i], rules, false, &memory, NULL, OLD_DEVICE),
			rows[i].absent, rows[i].lost);
		memory_fini(&memory);
	}
}

static const struct rules plain = {.exclusion = &no_expressions,
	.inclusion = &no_expressions,
	.gpu_numa = numa_0,
	.gpu_numa_count = 1};

#define THREE(near) ROW("mlx5_0", near) "," ROW("mlx5_1", near) "," ROW("mlx5_2", near)
#define LOST_1 "['mlx5_1']", "['mlx5_1']"
#define UNSURE_1 "['mlx5_1']", "[]"

static void
near_to_a_gpu(void)
{
	static const struct row rows[] = {
		{"all there", ROW("mlx5_0", "PIX"), {NIC("mlx5_0", "")}, "eth9", "[]", "[]"},
		{"on a GPU's switch", THREE("PIX"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9",
			LOST_1},
		{"a switch further", THREE("PXB"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9",
			LOST_1},
		{"whichever NIC has the default route", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", "")}, NULL, LOST_1},
		{"on a GPU's node", THREE("NODE"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9",
			LOST_1},
		{"on a GPU's host bridge", THREE("PHB"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")},
			"eth9", LOST_1},
		{"where another has the default route", THREE("NODE"),
			{NIC("mlx5_0", NETDEV("eth0", "")), NIC("mlx5_2", "")}, "eth0", LOST_1},
		{"another NIC has it on its second interface", THREE("NODE"),
			{NIC("mlx5_0", ",'netdevs':[{'name':'eth7','uppers':[]},"
				       "{'name':'eth0','uppers':[]}]"),
				NIC("mlx5_2", "")},
			"eth0", LOST_1},
		{"where the default route is away after it went elsewhere", THREE("NODE"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "-eth9", LOST_1},
		{"two at once", THREE("NODE"), {NIC("mlx5_0", "")}, "eth9", "['mlx5_1','mlx5_2']",
			"['mlx5_1','mlx5_2']"},
		{"the only one", ROW("mlx5_1", "PIX"), {NULL}, "eth9", LOST_1},
		{"with names that contain addresses",
			ROW("rocep24s0", "PIX") "," ROW("roceP1p3s0", "PIX"),
			{NIC("rocep24s0", "")}, "eth9", "['roceP1p3s0']", "['roceP1p3s0']"},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

static void
far_from_gpus(void)
{
	static const struct row rows[] = {
		{"similar NICs are watched", THREE("SYS"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")},
			"eth9", LOST_1},
		{"a single similar NIC is not enough",
			ROW("mlx5_0", "SYS") "," ROW("mlx5_1", "SYS"), {NIC("mlx5_0", "")}, "eth9",
			UNSURE_1},
		{"a similar NIC is not watched", THREE("SYS"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ",'hca_type':'MT41692'")}, "eth9",
			UNSURE_1},
		{"similar NICs are on other NUMA nodes", THREE("SYS"),
			{NIC("mlx5_0", ""), "{'kind':'device','scan':1,'device':'mlx5_2','ports':1,"
					    "'numa_node':5,'vf':false,'driver':'mlx5_core'}"},
			"eth9", UNSURE_1},
		{"a similar NIC is unreadable", THREE("SYS"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ",'error':'EIO'")}, "eth9", UNSURE_1},
		{"of the similar NICs one is watched, two are not",
			THREE("SYS") "," ROW("mlx5_3", "SYS"),
			{NIC("mlx5_0", ",'hca_type':'MT41692'"),
				NIC("mlx5_2", ",'hca_type':'MT41692'"), NIC("mlx5_3", "")},
			"eth9", UNSURE_1},
		{"nearer NICs do not matter if there are similar ones",
			"'mlx5_0':['PIX']," ROW("mlx5_1", "SYS") "," ROW("mlx5_2", "SYS") "," ROW(
				"mlx5_3", "SYS"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""), NIC("mlx5_3", "")}, "eth9", LOST_1},
		{"similar NICs are on a GPU's node",
			ROW("mlx5_0", "NODE") "," ROW("mlx5_1", "SYS") "," ROW("mlx5_2", "NODE"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", UNSURE_1},
		{"nearer NICs are not similar",
			ROW("mlx5_0", "PIX") "," ROW("mlx5_1", "SYS") "," ROW("mlx5_2", "NODE"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", UNSURE_1},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

/* Only NICs with names of one pattern are evidence about each other. */
static void
sorts_of_names(void)
{
	static const struct row rows[] = {
		{"a letter and a number",
			ROW("x0", "SYS") "," ROW("x1", "SYS") "," ROW("x2", "SYS"),
			{NIC("x0", ""), NIC("x2", "")}, "eth9", "['x1']", "['x1']"},
		{"capitals", ROW("nic0", "SYS") "," ROW("NIC1", "SYS") "," ROW("nic2", "SYS"),
			{NIC("nic0", ""), NIC("nic2", "")}, "eth9", "['NIC1']", "['NIC1']"},
		{"an older kind of card",
			ROW("mlx4_0", "SYS") "," ROW("mlx5_1", "SYS") "," ROW("mlx4_2", "SYS"),
			{NIC("mlx4_0", ""), NIC("mlx4_2", "")}, "eth9", UNSURE_1},
		{"numbers alone", ROW("10a", "SYS") "," ROW("11a", "SYS") "," ROW("12a", "SYS"),
			{NIC("10a", ""), NIC("12a", "")}, "eth9", "['11a']", "[]"},
		{"nearer NICs are no evidence that it is watched",
			ROW("nic_0", "PIX") "," ROW("nic_1", "NODE") "," ROW("nic_2", "PIX"),
			{NIC("nic_0", ""), NIC("nic_2", "")}, "eth9", "['nic_1']", "[]"},
		{"equally near NICs are",
			ROW("nic_0", "NODE") "," ROW("nic_1", "NODE") "," ROW("nic_2", "NODE"),
			{NIC("nic_0", ""), NIC("nic_2", "")}, "eth9", "['nic_1']", "['nic_1']"},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

#define DEVICE(name, vf, more) \
	"{'kind':'device','scan':1,'device':'" name "','ports':1,'numa_node':0,'vf':" vf more "}"
#define MLX5 ",'driver':'mlx5_core'"

static void
fits(void)
{
	static const struct {
		const char *name;
		const char *lines[3];
		enum absent_fit fit;
	} rows[] = {
		{"no device", {NULL}, ABSENT_NO_NIC},
		{"one of two is named",
			{DEVICE("x0", "false", MLX5), DEVICE("mlx5_0", "false", "")}, ABSENT_SOME},
		{"the first is named", {DEVICE("mlx5_0", "false", ""), DEVICE("x0", "false", MLX5)},
			ABSENT_SOME},
		{"a virtual function is named", {DEVICE("mlx5_0", "true", "")}, ABSENT_SOME},
		{"another name", {DEVICE("mlx5_7", "false", "")}, ABSENT_ALL},
		{"another name, of the driver", {DEVICE("x0", "false", MLX5)}, ABSENT_ALL},
		{"the last of several",
			{DEVICE("a0", "false", ",'driver':'bnxt_en'"), DEVICE("b0", "false", ""),
				DEVICE("x0", "false", MLX5)},
			ABSENT_ALL},
		{"the first of several",
			{DEVICE("x0", "false", MLX5), DEVICE("a0", "false", ""),
				DEVICE("b0", "true", MLX5)},
			ABSENT_ALL},
		{"another name, of another vendor",
			{DEVICE("bnxt_re0", "false", ",'driver':'bnxt_en'")}, ABSENT_ALL},
		{"an EFA adapter", {DEVICE("rdmap16s0", "false", ",'driver':'efa'")},
			ABSENT_NO_NIC},
		{"another driver", {DEVICE("hfi1_0", "false", ",'driver':'hfi1'")}, ABSENT_NO_NIC},
		{"no driver", {DEVICE("x0", "false", ",'driver':null")}, ABSENT_NO_NIC},
		{"a virtual function", {DEVICE("mlx5_7", "true", MLX5)}, ABSENT_NO_NIC},
		{"a part of another device", {DEVICE("smi1", "false", MLX5 ",'parent':'mlx5_7'")},
			ABSENT_NO_NIC},
		{"one behind a port",
			{"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'x0','port':1}",
				DEVICE("mlx5_0", "false", "")},
			ABSENT_SOME},
		{"a port alone",
			{"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'mlx5_0',"
			 "'port':1}"},
			ABSENT_NO_NIC},
	};
	struct metadata metadata;
	json_t *root =
		check_json_new("{'gpus':[{'numa_node':0}],'nic_topology':{'mlx5_0':['PIX']}}");
	CHECK_STR(metadata_decode(root, &metadata), NULL);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scanbuf scan = {0};
		for (size_t n = 0; n < CHECK_COUNT(rows[i].lines); n++) {
			if (rows[i].lines[n] != NULL)
				add(&scan, rows[i].lines[n]);
		}
		add(&scan, DEVICE("mlx5_0", "false", MLX5));
		scan.count--;
		check_row("%s", rows[i].name);
		CHECK_INT(absent_fit(&scan, &metadata), rows[i].fit);
		scan.count++;
		scanbuf_clear(&scan);
		scanbuf_fini(&scan);
	}
	json_decref(root);
	metadata_fini(&metadata);
}

/* A NIC that a virtual machine or a pod has now is not lost. */
static void
handed_away(void)
{
	static const struct row row = {
		"", THREE("PIX"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", NULL, NULL};
	static const struct row before = {"", THREE("PIX"),
		{NIC("mlx5_0", ""), NIC("mlx5_1", ",'pci':'0000:02:00.0'"), NIC("mlx5_2", "")},
		"eth9", "[]", "[]"};
	static const struct {
		const char *end;
		bool was_seen; /* so its address is known */
		const char *absent, *lost;
	} rows[] = {
		{",'elsewhere':['mlx5_1']", false, "[]", "[]"},
		{",'elsewhere':['mlx5_1']", true, "[]", "[]"},
		{",'elsewhere':['mlx5_4']", true, LOST_1},
		{",'functions':[{'pci':'0000:02:00.0','driver':'vfio-pci'}]", true, UNSURE_1},
		{",'functions':[{'pci':'0000:03:00.0','driver':'vfio-pci'}]", true, LOST_1},
		{",'functions':[{'pci':'0000:02:00.0','driver':'mlx5_core'}]", true, LOST_1},
		/* It may be any that was passed on. */
		{",'functions':[{'pci':'0000:03:00.0','driver':'vfio-pci'}]", false, UNSURE_1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct memory memory;
		check_row("%s", rows[i].end);
		CHECK_INT(memory_init(&memory), 0);
		if (rows[i].was_seen)
			check_topology(topology_new(&before, &plain, false, &memory, NULL, OLD_END),
				"[]", "[]");
		check_topology(topology_new(&row, &plain, false, &memory, rows[i].end, OLD_END),
			rows[i].absent, rows[i].lost);
		memory_fini(&memory);
	}
}

static void
doubtful(void)
{
	static const struct row rows[] = {
		{"no default route: it may have been on this NIC", THREE("NODE"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", "")}, NULL, UNSURE_1},
		{"a bond has the default route: the NIC may have been a member", THREE("NODE"),
			{NIC("mlx5_0", NETDEV("eth0", "'bond0'")), NIC("mlx5_2", "")}, "bond0",
			UNSURE_1},
		{"an unknown NIC is present: it may be the same one renamed", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""), NIC("mlx5_bond_0", "")}, "eth9",
			UNSURE_1},
		{"also an unreadable one", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""), NIC("x0", ",'error':'EIO'")}, "eth9",
			UNSURE_1},
		{"another vendor's NIC is not a renamed one", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""),
				"{'kind':'device','scan':1,'device':'bnxt_re0','ports':1,"
				"'numa_node':0,'vf':false,'driver':'bnxt_en'}"},
			"eth9", LOST_1},
		{"it may be renamed if names give no evidence",
			ROW("rocep1s0", "PIX") "," ROW("rocep2s0", "PIX"),
			{NIC("rocep1s0", ""),
				"{'kind':'device','scan':1,'device':'rocep9s0','ports':1,"
				"'numa_node':0,'vf':false,'driver':'bnxt_en'}"},
			"eth9", "['rocep2s0']", "[]"},
		{"a NIC that cannot be watched does not count", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""),
				"{'kind':'device','scan':1,'device':'qedr0','ports':1,"
				"'numa_node':0,'vf':false,'driver':'qede'}"},
			"eth9", LOST_1},
		{"the metadata names virtual functions: it may be one", THREE("PIX"),
			{NIC("mlx5_0", ""), "{'kind':'device','scan':1,'device':'mlx5_2','ports':1,"
					    "'numa_node':0,'vf':true,'driver':'mlx5_core'}"},
			"eth9", UNSURE_1},
		{"a virtual function that the metadata lack does not matter", THREE("PIX"),
			{NIC("mlx5_0", ""), NIC("mlx5_2", ""),
				"{'kind':'device','scan':1,'device':'mlx5_9','ports':1,"
				"'numa_node':0,'vf':true,'driver':'mlx5_core'}"},
			"eth9", LOST_1},
		{"a name of another vendor", ROW("bnxt_re0", "PIX") "," ROW("mlx5_0", "PIX"),
			{NIC("mlx5_0", "")}, "eth9", "['bnxt_re0']", "[]"},
		{"a similar NIC has no NUMA node", THREE("SYS"),
			{NIC("mlx5_0", ""), "{'kind':'device','scan':1,'device':'mlx5_2','ports':1,"
					    "'numa_node':-1,'vf':false,'driver':'mlx5_core'}"},
			"eth9", UNSURE_1},
	};
	check_rows(rows, CHECK_COUNT(rows), &plain);
}

#define BROADCOM(name) \
	"{'kind':'device','scan':1,'device':'" name "','ports':1,'numa_node':0,'vf':false," \
	"'driver':'bnxt_en'}"

static void
half_gone(void)
{
	/* The NIC's RDMA device is gone, but not its driver: the NIC may still have its interface,
	 * with the default route. */
	static const struct row elsewhere = {
		"", THREE("NODE"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", UNSURE_1};
	static const struct row here = {"", THREE("NODE"),
		{NIC("mlx5_0", NETDEV("eth0", "") ",'pci':'0000:01:00.0'"), NIC("mlx5_2", "")},
		"eth0", LOST_1};
	static const struct row whole = {"", THREE("NODE"),
		{NIC("mlx5_0", ",'pci':'0000:01:00.0'"), NIC("mlx5_2", "")}, "eth9", LOST_1};
	static const struct row subfunction = {"", THREE("NODE"),
		{NIC("mlx5_0", ""), NIC("mlx5_2", ""),
			"{'kind':'device','scan':1,'device':'mlx5_18','pci':'0000:02:00.0',"
			"'ports':1,'vf':true,'driver':'mlx5_core.sf'}"},
		"eth9", UNSURE_1};
	static const struct row broadcom = {"",
		ROW("bnxt_re0", "NODE") "," ROW("bnxt_re1", "NODE") "," ROW("bnxt_re2", "NODE"),
		{BROADCOM("bnxt_re0"), BROADCOM("bnxt_re2")}, "eth9", "['bnxt_re1']", "[]"};
	static const struct {
		const struct row *row;
		const char *functions;
	} rows[] = {
		{&elsewhere, "{'pci':'0000:02:00.0','driver':'mlx5_core'}"},
		{&here, "{'pci':'0000:02:00.0','driver':'mlx5_core'}"},
		{&whole, "{'pci':'0000:01:00.0','driver':'mlx5_core'}"},
		{&subfunction, "{'pci':'0000:02:00.0','driver':'mlx5_core'}"},
		{&broadcom, "{'pci':'0000:02:00.0','driver':'bnxt_en'}"},
		{&whole, "{'pci':'0000:02:00.0','driver':'bnxt_en'}"},
		{&whole, "{'pci':'0000:02:00.0','driver':null}"},
		{&whole, "{'pci':'0000:02:00.0','driver':'ixgbe'}"},
		{&whole, "7,null,{},{'pci':7,'driver':'mlx5_core'},{'pci':'0000:02:00.0','driver':"
			 "7}"},
	};
	for (size_t n = 0; n < 2 * CHECK_COUNT(rows); n++) {
		size_t i = n / 2;
		struct memory memory;
		char end[200];
		check_row("%zu: %s", n, rows[i].functions);
		snprintf(end, sizeof end, ",'functions':[%s]", rows[i].functions);
		CHECK_INT(memory_init(&memory), 0);
		check_topology(topology_new(rows[i].row, &plain, false, &memory, end,
				       n % 2 == 0 ? OLD_DEVICE : OLD_END),
			rows[i].row->absent, rows[i].row->lost);
		memory_fini(&memory);
	}
}

#define UNBOUND(near) "},'unbound':{'0000:03:00.0':['" near "']"
#define LOST_FUNCTION "[]", "['0000:03:00.0']"

#define FUNCTION(pci, driver) \
	",'functions':[7,{'driver':null},{'pci':'" pci "','driver':" driver "}]"
#define OTHERS FUNCTION("0000:03:00.0", "null")
#define NVIDIA ",'unbound':['0000:03:00.0']" OTHERS
#define ANOTHER ",'unbound':['0000:04:00.0']" FUNCTION("0000:04:00.0", "null")
#define BOUND FUNCTION("0000:03:00.0", "'mlx5_core'")

#define TWO(near) ROW("mlx5_0", near) "," ROW("x1", near)

/* Only the place on the bus is known of a NIC without a device. */
static void
without_driver(void)
{
	static const struct {
		const char *end; /* of the scan */
		bool names_devices;
		struct row row;
	} rows[] = {
		{NVIDIA, false,
			{"on a GPU's switch", ROW("mlx5_0", "SYS") UNBOUND("PXB"),
				{NIC("mlx5_0", "")}, NULL, LOST_FUNCTION}},
		{OTHERS, false,
			{"another vendor's on a GPU's switch", ROW("mlx5_0", "SYS") UNBOUND("PIX"),
				{NIC("mlx5_0", "")}, NULL, LOST_FUNCTION}},
		{OTHERS, false,
			{"another vendor's elsewhere", ROW("mlx5_0", "NODE") UNBOUND("NODE"),
				{NIC("mlx5_0", "")}, "eth9", "[]", "[]"}},
		{NVIDIA, false, {"there is no other", UNBOUND("PIX"), {NULL}, NULL, LOST_FUNCTION}},
		{NVIDIA, false,
			{"virtual functions are on the bus", ROW("x0", "PIX") UNBOUND("PIX"),
				{"{'kind':'device','scan':1,'device':'x0','ports':1,"
				 "'numa_node':0,'vf':true,'driver':'mlx5_core'}"},
				NULL, LOST_FUNCTION}},
		{NVIDIA, false,
			{"on a GPU's node", ROW("mlx5_0", "NODE") UNBOUND("NODE"),
				{NIC("mlx5_0", "")}, "eth9", LOST_FUNCTION}},
		{NVIDIA, false,
			{"as far away as two watched ones",
				ROW("mlx5_0", "SYS") "," ROW("x1", "SYS") UNBOUND("SYS"),
				{NIC("mlx5_0", ""), NIC("x1", "")}, "eth9", LOST_FUNCTION}},
		{NVIDIA, false,
			{"as far away as a watched one", ROW("mlx5_0", "SYS") UNBOUND("SYS"),
				{NIC("mlx5_0", "")}, "eth9", "[]", "[]"}},
		{NVIDIA, false,
			{"no default route: it may have been on this NIC",
				ROW("mlx5_0", "NODE") UNBOUND("NODE"), {NIC("mlx5_0", "")}, NULL,
				"[]", "[]"}},
		{NVIDIA, true,
			{"the configuration may name it", ROW("mlx5_0", "PIX") UNBOUND("PIX"),
				{NIC("mlx5_0", "")}, "eth9", "[]", "[]"}},
		{NVIDIA, false,
			{"the bus is another node's", ROW("mlx5_1", "PIX") UNBOUND("PIX"),
				{NIC("mlx5_0", "")}, "eth9", "['mlx5_1']", "[]"}},
		{ANOTHER, false,
			{"another function, of which nothing is known",
				ROW("mlx5_0", "PIX") UNBOUND("PIX"), {NIC("mlx5_0", "")}, "eth9",
				"[]", "[]"}},
		{BOUND, false,
			{"it has a driver, and one other NIC is like it",
				ROW("mlx5_0", "PIX") UNBOUND("PIX"), {NIC("mlx5_0", "")}, "eth9",
				"[]", "[]"}},
		{BOUND, false,
			{"it has a driver, and two others are like it", TWO("PIX") UNBOUND("PIX"),
				{NIC("mlx5_0", ""), NIC("x1", "")}, NULL, LOST_FUNCTION}},
		{BOUND, false,
			{"it has a driver, on a GPU's node", TWO("NODE") UNBOUND("NODE"),
				{NIC("mlx5_0", ""), NIC("x1", "")}, "eth9", "[]", "[]"}},
		{BOUND ",'elsewhere':['mlx5_2']", false,
			{"it has a driver, and a device is in another network namespace",
				TWO("PIX") UNBOUND("PIX"), {NIC("mlx5_0", ""), NIC("x1", "")}, NULL,
				"[]", "[]"}},
		{BOUND, false,
			{"it has a driver, and its card a device, which may be a bond",
				TWO("PIX") UNBOUND("PIX"),
				{NIC("mlx5_0", ""), NIC("x1", ",'pci':'0000:03:00.1'")}, NULL, "[]",
				"[]"}},
		{FUNCTION("0000:03:00.0", "'vfio-pci'"), false,
			{"it was passed to a guest", TWO("PIX") UNBOUND("PIX"),
				{NIC("mlx5_0", ""), NIC("x1", "")}, NULL, "[]", "[]"}},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct memory memory;
		check_row("%s", rows[i].row.name);
		CHECK_INT(memory_init(&memory), 0);
		check_topology(topology_new(&rows[i].row, &plain, rows[i].names_devices, &memory,
				       rows[i].end, OLD_DEVICE),
			rows[i].row.absent, rows[i].row.lost);
		memory_fini(&memory);
	}
}

static void
configured(void)
{
	static struct rx_list pinned, excluded;
	struct rx_error error;
	static const struct rules override = {.exclusion = &no_expressions,
		.inclusion = &pinned,
		.gpu_numa = numa_0,
		.gpu_numa_count = 1};
	static const struct rules exclusion = {.exclusion = &excluded,
		.inclusion = &no_expressions,
		.gpu_numa = numa_0,
		.gpu_numa_count = 1};
	static const struct row pinned_rows[] = {
		{"pinned, whatever else is known", THREE("SYS"), {NIC("mlx5_0", "")}, NULL, LOST_1},
	};
	static const struct row excluded_rows[] = {
		{"excluded", THREE("PIX"), {NIC("mlx5_0", "")}, "eth9", "['mlx5_2']", "['mlx5_2']"},
	};
	CHECK_INT(rx_list_init(&pinned, "^mlx5_[01]$", &error), 0);
	CHECK_INT(rx_list_init(&excluded, "^mlx5_1$", &error), 0);
	check_rows(pinned_rows, CHECK_COUNT(pinned_rows), &override);
	check_rows(excluded_rows, CHECK_COUNT(excluded_rows), &exclusion);
	rx_list_fini(&pinned);
	rx_list_fini(&excluded);
}

static void
seen_before(void)
{
	/* A NIC's role while it was present counts more than the roles of its neighbours. */
	static const struct row with = {"", THREE("SYS"),
		{NIC("mlx5_0", ""), NIC("mlx5_1", ",'hca_type':'MT41692'"), NIC("mlx5_2", "")},
		"eth9", "[]", "[]"};
	static const struct row without = {
		"", THREE("SYS"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", UNSURE_1};
	static const struct row far = {"", ROW("mlx5_0", "SYS") "," ROW("mlx5_1", "SYS"),
		{NIC("mlx5_0", ""), NIC("mlx5_1", "")}, NULL, "[]", "[]"};
	static const struct row far_gone = {"", ROW("mlx5_0", "SYS") "," ROW("mlx5_1", "SYS"),
		{NIC("mlx5_0", "")}, NULL, LOST_1};
	/* Nor does the default route matter then: it may be gone with its NIC. */
	static const struct row routed = {"", THREE("NODE"),
		{NIC("mlx5_0", NETDEV("eth0", "")), NIC("mlx5_1", ""), NIC("mlx5_2", "")}, "eth0",
		"[]", "[]"};
	static const struct row unrouted = {"", THREE("NODE"),
		{NIC("mlx5_0", NETDEV("eth0", "")), NIC("mlx5_2", "")}, NULL, LOST_1};
	/* A device that is unreadable now is no evidence about its neighbours. */
	static const struct row readable = {
		"", THREE("SYS"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", LOST_1};
	static const struct row unreadable = {"", THREE("SYS"),
		{NIC("mlx5_0", ""), NIC("mlx5_2", ",'error':'EIO'")}, "eth9", UNSURE_1};
	/* Of two similar NICs, the one that is gone is no evidence, although it was watched. */
	static const struct row two = {"", THREE("SYS"), {NIC("mlx5_0", ""), NIC("mlx5_1", "")},
		"eth9", "['mlx5_2']", "['mlx5_2']"};
	static const struct row one = {
		"", THREE("SYS"), {NIC("mlx5_0", "")}, "eth9", "['mlx5_1','mlx5_2']", "['mlx5_1']"};
	const struct row *const pairs[][2] = {{&readable, &unreadable}, {&with, &without},
		{&far, &far_gone}, {&routed, &unrouted}, {&two, &one}};
	for (size_t i = 0; i < CHECK_COUNT(pairs); i++) {
		struct memory memory;
		check_row("%zu", i);
		CHECK_INT(memory_init(&memory), 0);
		for (size_t n = 0; n < 2; n++)
			check_topology(
				topology_new(pairs[i][n], &plain, false, &memory, NULL, OLD_DEVICE),
				pairs[i][n]->absent, pairs[i][n]->lost);
		memory_fini(&memory);
	}
}

static void
torn(void)
{
	static const struct row row = {
		"", THREE("PIX"), {NIC("mlx5_0", ""), NIC("mlx5_2", "")}, "eth9", UNSURE_1};
	/* No end; an end with another number of devices; a class that could not be listed. */
	static const char *const ends[] = {"", ",'devices':3", ",'error':'EIO'"};
	for (size_t i = 0; i < CHECK_COUNT(ends); i++) {
		struct memory memory;
		check_row("%s", ends[i]);
		CHECK_INT(memory_init(&memory), 0);
		check_topology(topology_new(&row, &plain, false, &memory, ends[i], OLD_DEVICE),
			row.absent, row.lost);
		memory_fini(&memory);
	}
}

static const struct check_test tests[] = {
	{"a missing NIC near a GPU is lost", near_to_a_gpu},
	{"a missing NIC far from all GPUs is lost if similar NICs are watched", far_from_gpus},
	{"only NICs with names of one pattern tell each other's role", sorts_of_names},
	{"metadata fit a node if they name one of its devices, and may fit if it has no NIC", fits},
	{"a NIC that may be missing for another reason is absent, not lost", doubtful},
	{"a NIC that was handed to a virtual machine or a pod is not lost", handed_away},
	{"a NIC with a driver but no RDMA device may have the default route", half_gone},
	{"a NIC without a driver is lost if it is in the place of a GPU's NIC", without_driver},
	{"the configuration decides which NICs can be lost", configured},
	{"a missing NIC is lost if it was watched when last seen", seen_before},
	{"an incomplete scan has lost no NIC", torn},
};
CHECK_MAIN(tests)
