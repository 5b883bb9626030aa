/* Unit tests of nicview's table, with its headline and its remarks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/table.h"

#include "../../tools/nicview/headline.h"
#include "../../tools/nicview/remarks.h"
#include "nics.h"

#include <errno.h>
#include <unistd.h>

#define DOWN .state = "DOWN", .phys_state = "Disabled"
#define COMPUTE .role = "compute"

/* Return the table as text, to free(). */
static char *
printed_new(const struct scan *scan, struct table_style style)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	CHECK_INT(table_print(scan, &style, out), 0);
	fclose(out);
	return text;
}

static char *
table_new(const struct nic *nics, size_t count, struct table_style style)
{
	struct scan scan = {0};
	nics_scan(&scan, nics, count);
	char *text = printed_new(&scan, style);
	scan_fini(&scan);
	return text;
}

/* --- the headline --- */

static const char *
headline(const struct scan *scan, size_t columns)
{
	static char text[HEADLINE_SIZE];
	struct row_list rows;
	CHECK_INT(rows_init(&rows, scan), 0);
	headline_format(scan, &rows, columns, text);
	rows_fini(&rows);
	return text;
}

static void
verdicts(void)
{
	static const struct nic fine[] = {{.device = "a", .pci = "0000:01:00.0", COMPUTE},
		{.device = "b", .pci = "0000:02:00.0", COMPUTE}};
	static const struct {
		struct nic nic;
		const char *verdict;
	} rows[] = {
		{{.device = "c", .pci = "0000:03:00.0", COMPUTE}, "3 NICs, 3 ports: all well"},
		{{.device = "c", .pci = "0000:03:00.0", COMPUTE, DOWN},
			"3 NICs, 3 ports: 1 problem"},
		{{.device = "c", .pci = "0000:03:00.0", .role = "storage", DOWN},
			"3 NICs, 3 ports: no problem, 1 unclear"},
		{{.device = "c", .pci = "0000:03:00.0", COMPUTE, .rate = "200 Gb/sec (4X HDR)"},
			"3 NICs, 3 ports: 1 warning"},
		{{.device = "c", .pci = "0000:03:00.0", .role = "management", DOWN},
			"3 NICs, 3 ports: all well"},
		{{.device = "c",
			 .pci = "0000:03:00.0",
			 .role = "none",
			 DOWN,
			 .more_device = ",'vf':true"},
			"2 NICs, 2 ports, 1 VF: all well"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		struct nic nics[] = {fine[0], fine[1], rows[i].nic};
		nics_scan(&scan, nics, CHECK_COUNT(nics));
		check_row("row %zu", i);
		char *expected = check_replaced_new(
			strdup("gpu-42  2026-01-02 03:04:05Z  #"), "#", rows[i].verdict);
		CHECK_STR(headline(&scan, 100), expected);
		free(expected);
		scan_fini(&scan);
	}
}

static void
several(void)
{
	struct scan scan = {0};
	static const struct nic nics[] = {{.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
		{.device = "b", .pci = "0000:02:00.0", COMPUTE},
		{.device = "c", .pci = "0000:03:00.0", COMPUTE},
		{.device = "d", .pci = "0000:04:00.0", COMPUTE},
		{.device = "e", .pci = "0000:05:00.0", COMPUTE, DOWN},
		{.device = "f", .pci = "0000:06:00.0", .role = "storage", DOWN},
		{.device = "g", .pci = "0000:07:00.0", COMPUTE, .rate = "200 Gb/sec (4X HDR)"},
		{.device = "h", .pci = "0000:08:00.0", COMPUTE, .rate = "200 Gb/sec (4X HDR)"}};
	nics_scan(&scan, nics, CHECK_COUNT(nics));
	CHECK_STR(headline(&scan, 100),
		"gpu-42  2026-01-02 03:04:05Z  8 NICs, 8 ports: 2 problems, 2 warnings, 1 unclear");
	/* too narrow: first the date is dropped, then the time, then the middle of the name */
	CHECK_STR(headline(&scan, 80),
		"gpu-42  2026-01-02 03:04:05Z  8 NICs, 8 ports: 2 problems, 2 warnings, 1 unclear");
	CHECK_STR(headline(&scan, 79),
		"gpu-42  03:04:05Z  8 NICs, 8 ports: 2 problems, 2 warnings, 1 unclear");
	CHECK_STR(
		headline(&scan, 60), "gpu-42  8 NICs, 8 ports: 2 problems, 2 warnings, 1 unclear");
	scan_fini(&scan);
}

static void
not_whole(void)
{
	struct scan scan = {0};
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0", COMPUTE};
	nics_begin(&scan);
	nics_add(&scan, &nic);
	scan.whole = false;
	CHECK_STR(headline(&scan, 100),
		"gpu-42  2026-01-02 03:04:05Z  1 NIC, 1 port: no problem, scan incomplete");
	scan_fini(&scan);
	nics_begin(&scan);
	scan.whole = false;
	CHECK_HAS(headline(&scan, 100), "0 NICs, 0 ports: no port is monitored, scan incomplete");
	scan_fini(&scan);
}

static void
no_devices(void)
{
	struct scan scan = {0};
	nics_begin(&scan);
	nics_end(&scan, "");
	CHECK_HAS(headline(&scan, 100), "Z  no RDMA devices");
	char *text = printed_new(&scan, (struct table_style){.columns = 100});
	CHECK_STR(text, "gpu-42  2026-01-02 03:04:05Z  no RDMA devices\n");
	free(text);
	nics_begin(&scan);
	nics_end(&scan, ",'error':'ENOENT'");
	CHECK_HAS(headline(&scan, 100), "Z  no RDMA devices (class/infiniband: ENOENT)");
	nics_begin(&scan);
	nics_end(&scan, ",'error':'ENOENT','unbound':['0000:01:00.0','0000:02:00.0']");
	CHECK_HAS(headline(&scan, 100), "no RDMA devices (class/infiniband: ENOENT), 2 problems");
	scan_fini(&scan);
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0", .role = "management"};
	nics_scan(&scan, &nic, 1);
	CHECK_HAS(headline(&scan, 100), "1 NIC, 1 port: no port is monitored");
	scan_fini(&scan);
}

static void
names_and_times(void)
{
	static const struct {
		const char *node, *ts;
		size_t columns;
		const char *expected;
	} rows[] = {
		{"gpu", "2026-01-02T03:04:05.678901Z", 100,
			"gpu  2026-01-02 03:04:05Z  no RDMA devices"},
		{"gpu", "2026-01-02T03:04:05Z", 100, "gpu  2026-01-02T03:04:05Z  no RDMA devices"},
		{"gpu", "x", 100, "gpu  x  no RDMA devices"},
		{"gpu", "", 100, "gpu  no RDMA devices"},
		{"gpu\\u001b[2J", "t\\u001b", 100, "gpu\\x1b[2J  t\\x1b  no RDMA devices"},
		{"a-very-long-name.of-a-node.in-a-cluster.example", "2026-01-02T03:04:05.678901Z",
			60, "a-very-lon~er.example  2026-01-02 03:04:05Z  no RDMA devices"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		char begin[512];
		snprintf(begin, sizeof begin,
			"{'kind':'scan.begin','v':1,'scan':1,'node':'%s','ts':'%s','boottime_ns':"
			"1}",
			rows[i].node, rows[i].ts);
		nics_take(&scan, check_json_new(begin));
		nics_end(&scan, "");
		check_row("row %zu", i);
		CHECK_STR(headline(&scan, rows[i].columns), rows[i].expected);
		CHECK(strlen(headline(&scan, rows[i].columns)) <= rows[i].columns);
		scan_fini(&scan);
	}
}

/* --- the last column --- */

static void
remarks(void)
{
	struct remarks all = {
		.reason = "peers are up",
		.counts = {{"link_downed", 255, true}, {"symbol_error", 12, false},
			{"x_errors", 1, false}},
		.count = 3,
	};
	static const struct {
		size_t width;
		const char *with_reason, *without;
	} rows[] = {
		{100, "peers are up; link_downed>=255 symbol_error=12 x_errors=1",
			"link_downed>=255 symbol_error=12 x_errors=1"},
		{57, "peers are up; link_downed>=255 symbol_error=12 x_errors=1",
			"link_downed>=255 symbol_error=12 x_errors=1"},
		{56, "peers are up; link_downed>=255 symbol_error=12 +1",
			"link_downed>=255 symbol_error=12 x_errors=1"},
		{49, "peers are up; link_downed>=255 symbol_error=12 +1",
			"link_downed>=255 symbol_error=12 x_errors=1"},
		{42, "peers are up; link_downed>=255 +2", "link_downed>=255 symbol_error=12 +1"},
		{20, "peers are up; link_downed>=255 +2", "link_downed>=255 +2"},
		{0, "peers are up; link_downed>=255 +2", "link_downed>=255 +2"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[REMARKS_SIZE];
		struct remarks counts = all;
		*counts.reason = '\0';
		check_row("%zu wide", rows[i].width);
		CHECK_U64(remarks_format(&all, rows[i].width, text), strlen(rows[i].with_reason));
		CHECK_STR(text, rows[i].with_reason);
		remarks_format(&counts, rows[i].width, text);
		CHECK_STR(text, rows[i].without);
		CHECK_INT(remarks_fit(&all, rows[i].width), rows[i].width >= 57);
		CHECK_INT(remarks_fit(&counts, rows[i].width), rows[i].width >= 20);
	}
	const struct remarks none = {.count = 0};
	CHECK(remarks_fit(&none, 0));
}

/* --- the whole table --- */

static void
whole(void)
{
	static const struct nic nics[] = {
		{.device = "mlx5_0",
			.pci = "0000:18:00.0",
			COMPUTE,
			.more_port = ",'counters':{'symbol_error':12}"},
		{.device = "mlx5_1", .pci = "0000:3a:00.0", COMPUTE},
		{.device = "mlx5_2",
			.pci = "0000:9a:00.0",
			COMPUTE,
			DOWN,
			.rate = "10 Gb/sec (4X SDR)",
			.more_port =
				",'counters':{'link_downed':3},'netdev':'ib2','operstate':'down'"},
	};
	char *text = table_new(nics, CHECK_COUNT(nics), (struct table_style){.columns = 120});
	CHECK_STR(text, "gpu-42  2026-01-02 03:04:05Z  3 NICs, 3 ports: 1 problem\n"
			"   DEVICE  PORT  PCI           ROLE     LINK  STATE   PHYS      Gb/s  "
			"LANES   NETDEV  OPER\n"
			"!! mlx5_2     1  0000:9a:00.0  compute  IB    DOWN    Disabled    10  4X "
			"SDR  ib2     down  peers are up; link_downed=3\n"
			"   mlx5_0     1  0000:18:00.0  compute  IB    ACTIVE  LinkUp     400  4X "
			"NDR  -       -     symbol_error=12\n"
			"   mlx5_1     1  0000:3a:00.0  compute  IB    ACTIVE  LinkUp     400  4X "
			"NDR  -       -\n");
	free(text);
	text = table_new(nics, CHECK_COUNT(nics), (struct table_style){.columns = 60});
	CHECK_STR(text, "gpu-42  2026-01-02 03:04:05Z  3 NICs, 3 ports: 1 problem\n"
			"   DEVICE PORT ROLE    STATE  PHYS     Gb/s\n"
			"!! mlx5_2    1 compute DOWN   Disabled   10\n"
			"     peers are up; link_downed=3\n"
			"   mlx5_0    1 compute ACTIVE LinkUp    400 symbol_error=12\n"
			"   mlx5_1    1 compute ACTIVE LinkUp    400\n");
	free(text);
}

static void
coloured(void)
{
	static const struct nic nics[] = {{.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
		{.device = "b", .pci = "0000:02:00.0", COMPUTE},
		{.device = "c", .pci = "0000:03:00.0", COMPUTE},
		{.device = "d", .pci = "0000:04:00.0", .role = "storage", DOWN},
		{.device = "e", .pci = "0000:05:00.0", .role = "management"}};
	char *plain = table_new(nics, CHECK_COUNT(nics), (struct table_style){.columns = 100});
	CHECK(strchr(plain, '\033') == NULL);
	char *text = table_new(
		nics, CHECK_COUNT(nics), (struct table_style){.columns = 100, .colour = true});
	CHECK_HAS(text, "\033[1;31m!! a");
	CHECK_HAS(text, "\033[33m?  d");
	CHECK_HAS(text, "\n   b");
	CHECK_HAS(text, "\033[2m   e");
	/* apart from the colours it is the same */
	static const char *const colours[] = {
		"\033[1;31m", "\033[33m", "\033[2m", "\033[1m", "\033[0m"};
	for (size_t i = 0; i < CHECK_COUNT(colours); i++)
		text = check_replaced_new(text, colours[i], "");
	CHECK_STR(text, plain);
	free(text);
	free(plain);
}

static void
screen(void)
{
	/* Four rows of which two are marked, and one needs a second line, at any height of the
	 * screen. */
	static const struct nic nics[] = {
		{.device = "a",
			.pci = "0000:01:00.0",
			COMPUTE,
			DOWN,
			.more_port = ",'counters':{'excessive_buffer_overrun_errors':3}"},
		{.device = "b", .pci = "0000:02:00.0", COMPUTE},
		{.device = "c", .pci = "0000:03:00.0", COMPUTE},
		{.device = "d", .pci = "0000:04:00.0", .role = "storage", DOWN}};
	for (unsigned rows = 1; rows < 10; rows++) {
		char *text = table_new(
			nics, CHECK_COUNT(nics), (struct table_style){.columns = 80, .rows = rows});
		size_t lines = check_occurrences(text, "\n");
		check_row("%u rows", rows);
		CHECK(lines <= (rows < 5 ? 5 : rows));
		CHECK_INT(check_occurrences(text, "!! a"), 1);
		CHECK_INT(check_occurrences(text, " marked"), rows < 7);
		if (rows <= 5)
			CHECK_HAS(text, "\n   +3 rows, 1 of them marked\n");
		if (rows == 6)
			CHECK_HAS(text, "\n   +2 rows, 0 of them marked\n");
		free(text);
	}
}

static void
redrawn(void)
{
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0", COMPUTE};
	char *text = table_new(&nic, 1, (struct table_style){.columns = 100, .redraw = true});
	CHECK(strncmp(text, "\033[H", 3) == 0);
	CHECK_INT(check_occurrences(text, "\033[K\n"), check_occurrences(text, "\n"));
	CHECK_STR(text + strlen(text) - 3, "\033[J");
	free(text);
}

static void
hostile(void)
{
	static const char evil[] = "\\u001b]0;x\\u0007\\u001b[2J\\n\\t\\u009b\\u6f22\\u202e";
	static const size_t widths[] = {0, 40, 79, 80, 100, 200, 1000, 5000};
	struct scan scan = {0};
	char more_device[512], more_port[1024], *name = check_repeat_new('n', 64);

	snprintf(more_device, sizeof more_device, ",'error':'%s','card':'%s'", evil, evil);
	snprintf(more_port, sizeof more_port,
		",'netdev':'%s','operstate':'%s','role':7,'counters':{'link_downed':'%s',"
		"'symbol_error':18446744073709551615e0},'gids':[]",
		evil, evil, evil);
	const struct nic nics[] = {{.device = name,
					   .pci = evil,
					   .link_layer = evil,
					   .state = evil,
					   .phys_state = evil,
					   .rate = evil,
					   .model = evil,
					   .more_device = more_device},
		{.device = "b",
			.link_layer = evil,
			.state = evil,
			.phys_state = evil,
			.rate = evil,
			.model = evil},
		{.device = evil, .pci = "0000:01:00.0", .role = evil}};
	nics_begin(&scan);
	for (size_t i = 0; i < CHECK_COUNT(nics); i++)
		nics_add(&scan, &nics[i]);
	struct rec_error error;
	char text[2048];
	snprintf(text, sizeof text,
		"{'kind':'port','scan':1,'ts':'t','boottime_ns':1,'device':'z','port':1%s}",
		more_port);
	scan_accept(&scan, SCANREC_PORT, check_json_new(text), &error);
	char unbound[256];
	snprintf(unbound, sizeof unbound, ",'unbound':['%s']", evil);
	nics_end(&scan, unbound);

	for (size_t i = 0; i < CHECK_COUNT(widths); i++) {
		unsigned columns = (unsigned)widths[i];
		char *table = printed_new(&scan, (struct table_style){.columns = columns});
		size_t limit = columns < 40 ? 40 : columns > 1000 ? 1000 : columns, length = 0;
		check_row("%u columns", columns);
		for (const char *at = table; *at != '\0'; at++) {
			length = *at == '\n' ? 0 : length + 1;
			if (!CHECK(length <= limit) ||
				!CHECK(*at == '\n' || (*at >= 0x20 && *at < 0x7f)))
				break;
		}
		free(table);
	}
	free(name);
	scan_fini(&scan);
}

static void
failures(void)
{
	struct scan scan = {0};
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0", COMPUTE};
	nics_scan(&scan, &nic, 1);
	FILE *full = fopen("/dev/full", "w");
	if (full == NULL)
		return;
	setvbuf(full, NULL, _IONBF, 0);
	CHECK_INT(table_print(&scan, &(struct table_style){.columns = 80}, full), -1);
	CHECK_INT(errno, ENOSPC);
	fclose(full);
	scan_fini(&scan);
}

static const struct check_test tests[] = {
	{"the headline has the node's verdict", verdicts},
	{"the headline counts, and drops the time before the verdict", several},
	{"an incomplete scan is never \"all well\"", not_whole},
	{"a node without RDMA devices says so", no_devices},
	{"the node's name is cut and escaped, and malformed times stay unchanged", names_and_times},
	{"remarks are cut between counters, with the number left out", remarks},
	{"a table has the expected columns at two widths", whole},
	{"colours add nothing to the marks", coloured},
	{"a small screen shows the worst rows, and the number of the others", screen},
	{"a redrawn table overwrites the one before completely", redrawn},
	{"only printable ASCII within the width reaches the terminal", hostile},
	{"a table that cannot be written fails with its errno", failures},
};
CHECK_MAIN(tests)
