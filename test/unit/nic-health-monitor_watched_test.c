/* Unit tests of the supervisor's watched: which ports of a scan will be monitored. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/findings.h"

#include "nics.h"

#include <stdlib.h>

/* Return every finding as a line, `W text`, to free(). */
static char *
eval_new(const struct scan *scan, bool is_sysfs)
{
	static const char letters[] = "FLWN";
	struct findings findings = {0};
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	findings_eval_scan(&findings, scan, "/sys", is_sysfs);
	CHECK(!findings.failed);
	for (size_t i = 0; i < findings.count; i++)
		fprintf(out, "%c %s\n", letters[findings.items[i].severity],
			findings.items[i].text);
	fclose(out);
	CHECK_INT(findings_exit_code(&findings), 0);
	findings_fini(&findings);
	return text;
}

static void
check_said(const struct nic *nics, size_t count, const char *said)
{
	struct scan scan = {0};
	nics_scan(&scan, nics, count);
	char *text = eval_new(&scan, true);
	CHECK_STR(text, said);
	free(text);
	scan_fini(&scan);
}

#define VF ",'vf':true"
#define HUNG ",'error':'timeout'"
/* Overrides the reason "none" of nics.h. */
#define REASON(reason) ",'monitored':false,'reason':'" reason "'"

static void
monitored(void)
{
	static const struct nic nics[] = {
		{"mlx5_0", .role = "compute"},
		{"mlx5_1", .role = "compute"},
		{"mlx5_2", .role = "storage"},
		{"mlx5_3", .role = "management"},
		{"mlx5_4", .role = "none"},
		{"mlx5_5", .role = "compute", .more_device = VF},
		{.device = "mlx5_6"},
		{"mlx5_7", .role = "fabric"},
	};
	check_said(nics, CHECK_COUNT(nics),
		"N pre-flight: 5 ports of 5 devices to be monitored (compute 2, storage 1, fabric "
		"1, without a role 1)\n");
	check_said(nics, 1, "N pre-flight: 1 port of 1 device to be monitored (compute 1)\n");
}

static void
two_ports(void)
{
	struct scan scan = {0};
	nics_begin(&scan);
	nics_add(&scan, &(struct nic){"mlx5_0", .role = "storage"});
	nics_take(&scan,
		check_json_new(
			"{'kind':'port','scan':1,'ts':'t','boottime_ns':1,'device':'mlx5_0',"
			"'port':2,'link_layer':'InfiniBand','role':'storage','monitored':true}"));
	nics_end(&scan, "");
	char *text = eval_new(&scan, true);
	CHECK_STR(text, "N pre-flight: 2 ports of 1 device to be monitored (storage 2)\n");
	free(text);
	scan_fini(&scan);
}

static void
nothing_monitored(void)
{
	static const struct nic nics[] = {
		{"mlx5_0", .role = "none", .more_port = REASON("numa_gate")},
		{"mlx5_1", .more_device = REASON("numa_gate"), .more_port = REASON("numa_gate")},
		{"mlx5_2", .more_device = REASON("numa_gate"), .more_port = REASON("numa_gate")},
		{"mlx5_3", .role = "compute", .more_device = HUNG, .lost_port = true},
		{"mlx5_4", .role = "compute", .lost_port = true},
		{"mlx5_5", .more_device = ",'monitored':false", .more_port = ",'monitored':false"},
	};
	check_said(nics, CHECK_COUNT(nics),
		"L no port is monitored: 6 devices: 1 excluded, 2 numa_gate, 1 unreadable, 1 "
		"without ports, 1 without a reason: see topoclass(1) for the reasons, or name the "
		"NICs in "
		"nicInclusionRegexOverride\n"
		"W NICs that cannot be read: mlx5_3 (timeout)\n");
	check_said(nics, 1,
		"L no port is monitored: 1 device: 1 excluded: see topoclass(1) for the reasons, "
		"or name the NICs in nicInclusionRegexOverride\n");
}

static void
virtual_functions(void)
{
	static const struct nic nics[] = {{"mlx5_0", .more_device = VF}};
	char *text;
	struct scan scan = {0};
	nics_scan(&scan, nics, CHECK_COUNT(nics));
	text = eval_new(&scan, true);
	CHECK_HAS(text, "L no port is monitored: 1 device: 1 virtual function: ");
	free(text);
	scan_fini(&scan);
}

static void
unreadable(void)
{
	static const struct nic nics[] = {
		{"mlx5_0", .role = "compute"},
		{"mlx5_1", .role = "compute", .more_device = HUNG, .lost_port = true},
		{"mlx5_2", .role = "compute", .more_device = ",'error':'EIO'"},
		/* These are not monitored. */
		{"mlx5_3", .role = "management", .more_device = HUNG},
		{"mlx5_4", .role = "compute", .more_device = HUNG VF},
	};
	check_said(nics, CHECK_COUNT(nics),
		"W NICs that cannot be read: mlx5_1 (timeout), mlx5_2 (EIO)\n"
		"N pre-flight: 2 ports of 2 devices to be monitored (compute 2)\n");
}

static void
absent(void)
{
	struct scan scan = {0};
	nics_take(&scan,
		check_json_new(
			"{'kind':'scan.begin','v':1,'scan':1,'ts':'2026-01-02T03:04:05.678901Z',"
			"'boottime_ns':1,'topology':{'absent':['mlx5_7','mlx5_8']}}"));
	nics_add(&scan, &(struct nic){"mlx5_0", .role = "compute"});
	nics_end(&scan, "");
	char *text = eval_new(&scan, true);
	CHECK_STR(text,
		"W in the GPU metadata, but not on this node: mlx5_7, mlx5_8: either they were "
		"lost, or the metadata is old\n"
		"N pre-flight: 1 port of 1 device to be monitored (compute 1)\n");
	free(text);
	scan_fini(&scan);
}

static void
cut(void)
{
	struct nic nics[200];
	char names[200][40], *text;
	struct scan scan = {0};
	for (size_t i = 0; i < CHECK_COUNT(nics); i++) {
		snprintf(names[i], sizeof names[i], "a_device_with_a_long_name_%zu", i);
		nics[i] = (struct nic){names[i], .role = "compute", .more_device = HUNG};
	}
	nics_scan(&scan, nics, CHECK_COUNT(nics));
	text = eval_new(&scan, true);
	CHECK_HAS(text, "a_device_with_a_long_name_9 (timeout), ");
	CHECK_HAS(text, " and more\n");
	CHECK_INT((int64_t)check_occurrences(text, "_199 "), 0);
	free(text);
	scan_fini(&scan);
}

static void
no_devices(void)
{
	static const struct {
		const char *end;
		bool is_sysfs;
		const char *said;
	} rows[] = {
		{"", true, "W no RDMA devices: /sys/class/infiniband is empty\n"},
		{",'error':'ENOENT'", true,
			"W no RDMA devices: there is no /sys/class/infiniband: if this node has "
			"NICs, their driver is not loaded\n"},
		{",'error':'ENOENT'", false,
			"L /sys is not a sysfs: there is no class/net: no device will be seen: "
			"mount "
			"the host's there, or name it with --sysfs-root\n"},
		{",'error':'EACCES'", true,
			"L /sys/class/infiniband cannot be listed (EACCES): no device will be "
			"seen\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		check_row("%s", rows[i].end);
		nics_begin(&scan);
		nics_end(&scan, rows[i].end);
		char *text = eval_new(&scan, rows[i].is_sysfs);
		CHECK_STR(text, rows[i].said);
		free(text);
		scan_fini(&scan);
	}
}

static const struct check_test tests[] = {
	{"ports that will be monitored are counted by role", monitored},
	{"a device with two ports counts once", two_ports},
	{"a node without a monitored port is reported, with the reasons counted",
		nothing_monitored},
	{"virtual functions are not monitored, whatever their records say", virtual_functions},
	{"unreadable devices are named if they would be monitored", unreadable},
	{"devices that only the metadata knows are named", absent},
	{"a list that is too long ends with \"and more\"", cut},
	{"a node without devices is told apart from one whose devices are not visible", no_devices},
};
CHECK_MAIN(tests)
