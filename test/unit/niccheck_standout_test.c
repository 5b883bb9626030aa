/* Unit tests of niccheck's standout: error counters far above those of a port's peers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/niccheck/standout.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define PORTS_MAX 8

struct row {
	const char *name;
	/* of each port in turn; NULL: no more ports */
	const char *counters[PORTS_MAX];
	/* "port: file value median" of each note, in order */
	const char *notes;
};

/* The property that makes a port no peer of the others. */
struct odd {
	const char *name;
	const char *role, *reason, *link_layer, *hca_type, *driver;
	bool monitored;
};

static const struct odd even = {
	"", "compute", "topo_pix_pxb", "InfiniBand", "MT4129", "mlx5_core", true};

static void
give(struct scan *scan, json_t *json)
{
	struct rec_error error = {.reason = ""};
	scan_accept(scan, scanrec_kind(json), json, &error);
	CHECK_STR(error.reason, "");
}

static void
give_port(struct scan *scan, size_t number, const char *counters, const struct odd *odd)
{
	char name[16];
	snprintf(name, sizeof name, "d%zu", number);
	give(scan, json_pack("{s:s, s:i, s:s, s:i, s:i, s:b, s:s, s:s, s:s}", "kind", "device",
			   "scan", 1, "device", name, "ports", 1, "numa_node", 0, "vf", 0, "driver",
			   odd->driver, "hca_type", odd->hca_type, "reason", odd->reason));
	give(scan, json_pack("{s:s, s:i, s:s, s:i, s:s, s:i, s:s, s:o, s:o, s:s?, s:b}", "kind",
			   "port", "scan", 1, "ts", "T", "boottime_ns", 1, "device", name, "port",
			   1, "link_layer", odd->link_layer, "counters", check_json_new(counters),
			   "hw_counters", check_json_new(counters), "role", odd->role, "monitored",
			   odd->monitored));
}

/* Check the notes about these ports, of which the last is `odd`. */
static void
check_notes(const struct row *row, const struct odd *odd)
{
	struct scan scan = {0};
	struct summary summary;
	char notes[1000] = "";

	give(&scan, check_json_new("{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}"));
	for (size_t i = 0; i < PORTS_MAX && row->counters[i] != NULL; i++) {
		bool is_last = i + 1 == PORTS_MAX || row->counters[i + 1] == NULL;
		give_port(&scan, i, row->counters[i], is_last ? odd : &even);
	}
	summary_init(&summary, "n");
	standout_eval(&summary, &scan);
	CHECK(!summary.failed);
	for (size_t i = 0; i < summary.count; i++) {
		const struct finding *finding = &summary.findings[i];
		CHECK_INT(finding->level, FINDING_NOTE);
		CHECK_INT(finding->port, 1);
		snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "%s\n",
			json_string_value(finding->text));
	}
	CHECK_STR(notes, row->notes);
	summary_fini(&summary);
	scan_fini(&scan);
}

#define D(value) "{'link_downed':" value "}"
#define NOTE(device, file, value, median) \
	"Port " device " port 1: " file " is " value ", and the median of its peers " median "\n"

static void
values(void)
{
	static const struct row rows[] = {
		{"none", {NULL}, ""},
		{"alike", {D("5"), D("5"), D("5"), D("5")}, ""},
		{"all high", {D("500"), D("500"), D("500"), D("500")}, ""},
		{"nine", {D("0"), D("0"), D("0"), D("9")}, ""},
		{"ten", {D("0"), D("10"), D("0"), D("0")}, NOTE("d1", "link_downed", "10", "0")},
		{"of three", {D("0"), D("10"), D("0")}, ""},
		{"nearly ten times", {D("3"), D("2"), D("3"), D("29")}, ""},
		{"ten times", {D("3"), D("2"), D("3"), D("30")},
			NOTE("d3", "link_downed", "30", "3")},
		{"two of five", {D("40"), D("1"), D("30"), D("1"), D("1")},
			NOTE("d0", "link_downed", "40", "1") NOTE("d2", "link_downed", "30", "1")},
		{"two of four", {D("40"), D("1"), D("40"), D("1")}, ""},
		{"one lacks the counter", {D("0"), "{}", D("10"), D("0")}, ""},
		{"five, of which one lacks the counter", {D("0"), "{}", D("10"), D("0"), D("1")},
			NOTE("d2", "link_downed", "10", "1")},
		{"a value that is no number", {D("0"), D("'x'"), D("10"), D("0"), D("1")},
			NOTE("d2", "link_downed", "10", "1")},
		{"the largest", {D("0"), D("0"), D("0"), D("'18446744073709551615'")},
			NOTE("d3", "link_downed", "18446744073709551615", "0")},
		{"a file of two counters",
			{"{'symbol_error':0}", "{'symbol_error':0}", "{'symbol_error':0}",
				"{'symbol_error':70}"},
			NOTE("d3", "symbol_error", "70", "0")},
		{"a file that another vendor's NICs have, too",
			{"{'out_of_sequence':0}", "{'out_of_sequence':0}", "{'out_of_sequence':0}",
				"{'out_of_sequence':70}"},
			NOTE("d3", "out_of_sequence", "70", "0")},
		{"no error",
			{"{'port_xmit_wait':0}", "{'port_xmit_wait':0}", "{'port_xmit_wait':0}",
				"{'port_xmit_wait':70000}"},
			""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].name);
		check_notes(&rows[i], &even);
	}
}

static void
peers(void)
{
	static const struct odd odds[] = {
		{"another role", "storage", "topo_pix_pxb", "InfiniBand", "MT4129", "mlx5_core",
			true},
		{"no role", NULL, "topo_pix_pxb", "InfiniBand", "MT4129", "mlx5_core", true},
		{"another link layer", "compute", "topo_pix_pxb", "Ethernet", "MT4129", "mlx5_core",
			true},
		{"its role for another reason", "compute", "link_layer_infiniband", "InfiniBand",
			"MT4129", "mlx5_core", true},
		{"another model", "compute", "topo_pix_pxb", "InfiniBand", "MT4123", "mlx5_core",
			true},
		{"not watched", "compute", "topo_pix_pxb", "InfiniBand", "MT4129", "mlx5_core",
			false},
		{"with other counters", "compute", "topo_pix_pxb", "InfiniBand", "MT4129",
			"bnxt_en", true},
	};
	static const struct row row = {"", {D("0"), D("0"), D("0"), D("0"), D("10")}, ""};
	for (size_t i = 0; i < CHECK_COUNT(odds); i++) {
		check_row("%s", odds[i].name);
		check_notes(&row, &odds[i]);
	}
}

static void
no_peers(void)
{
	static const struct odd fabric = {
		"", "fabric", "topo_pix_pxb", "InfiniBand", "MT4129", "mlx5_core", true};
	struct scan scan = {0};
	struct summary summary;
	give(&scan, check_json_new("{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}"));
	for (size_t i = 0; i < PORTS_MAX; i++)
		give_port(&scan, i, i == 0 ? D("100") : D("0"), &fabric);
	summary_init(&summary, "n");
	standout_eval(&summary, &scan);
	CHECK_INT((int64_t)summary.count, 0);
	summary_fini(&summary);
	scan_fini(&scan);
}

static const struct check_test tests[] = {
	{"a counter of at least ten and ten times the median is reported once", values},
	{"only ports with one role, for one reason, and of one link layer and model are compared",
		peers},
	{"ports of a node without GPUs are not compared", no_peers},
};
CHECK_MAIN(tests)
