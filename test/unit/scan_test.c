/* Unit tests of scan: collecting the records of a scan, and checking whether it is whole. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include "check.h"

#include <stdio.h>

#define BEGIN "{'kind':'scan.begin','scan':1,'ts':'T','boottime_ns':1}"
#define DEVICE(name) "{'kind':'device','scan':1,'device':'" name "','ports':1}"
#define PORT(device, n) \
	"{'kind':'port','scan':1,'ts':'T','boottime_ns':1,'device':'" device "','port':" n "}"
#define END_OF(scan, devices, ports) \
	"{'kind':'scan.end','scan':" scan ",'devices':" devices ",'ports':" ports \
	",'complete':true}"
#define END(devices, ports) END_OF("1", devices, ports)

/* Each status as a letter. */
static const char letters[] = {[SCAN_ACCEPTED] = 't',
	[SCAN_FINISHED] = 'F',
	[SCAN_IGNORED] = 'i',
	[SCAN_BAD] = 'B',
	[SCAN_NO_MEMORY] = 'M'};

static char
take(struct scan *scan, const char *text)
{
	struct rec_error error = {.reason = "", .no_memory = true};
	json_t *json = check_json_new(text);
	enum scan_status status = scan_accept(scan, scanrec_kind(json), json, &error);
	CHECK((status == SCAN_BAD) == (*error.reason != '\0'));
	CHECK(status != SCAN_BAD || !error.no_memory);
	return letters[status];
}

struct row {
	const char *what;
	const char *lines[8];
	const char *answers;
	size_t devices, ports;
	bool open, whole;
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct scan scan = {0};
		char answers[10] = "";
		check_row("%s", rows[i].what);
		for (size_t l = 0; rows[i].lines[l] != NULL; l++)
			answers[l] = take(&scan, rows[i].lines[l]);
		CHECK_STR(answers, rows[i].answers);
		CHECK_INT((int64_t)scan.device_count, (int64_t)rows[i].devices);
		CHECK_INT((int64_t)scan.port_count, (int64_t)rows[i].ports);
		CHECK_INT(scan.open, rows[i].open);
		CHECK_INT(scan.whole, rows[i].whole);
		scan_fini(&scan);
	}
}

static void
whole_scans(void)
{
	static const struct row rows[] = {
		{"empty", {BEGIN, END("0", "0")}, "tF", 0, 0, false, true},
		{"one device", {BEGIN, DEVICE("a"), PORT("a", "1"), END("1", "1")}, "tttF", 1, 1,
			false, true},
		{"two devices",
			{BEGIN, DEVICE("a"), PORT("a", "1"), PORT("a", "2"), DEVICE("b"),
				PORT("b", "1"), END("2", "3")},
			"ttttttF", 2, 3, false, true},
		{"a device without ports", {BEGIN, DEVICE("a"), END("1", "0")}, "ttF", 1, 0, false,
			true},
		{"other records between",
			{BEGIN, "{'kind':'gap'}", DEVICE("a"), "{'kind':'event'}", PORT("a", "1"),
				END("1", "1")},
			"titi"
			"tF",
			1, 1, false, true},
		{"not ended yet", {BEGIN, DEVICE("a")}, "tt", 1, 0, true, true},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
torn_scans(void)
{
	static const struct row rows[] = {
		{"a device is missing", {BEGIN, DEVICE("a"), END("2", "0")}, "ttF", 1, 0, false,
			false},
		{"a port is missing", {BEGIN, DEVICE("a"), END("1", "1")}, "ttF", 1, 0, false,
			false},
		{"a device too many", {BEGIN, DEVICE("a"), DEVICE("b"), END("1", "0")}, "tttF", 2,
			0, false, false},
		{"a port too many", {BEGIN, DEVICE("a"), PORT("a", "1"), END("1", "0")}, "tttF", 1,
			1, false, false},
		{"negative counts", {BEGIN, END("-1", "0")}, "tF", 0, 0, false, false},
		{"counts beyond all", {BEGIN, END("4294967296", "0")}, "tF", 0, 0, false, false},
		{"the end of another scan", {BEGIN, END_OF("2", "0", "0")}, "tF", 0, 0, false,
			false},
		{"a device's record is lost, its port is not",
			{BEGIN, PORT("a", "1"), END("1", "1")}, "ttF", 0, 1, false, false},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
bad_records(void)
{
	static const struct row rows[] = {
		{"a bad device", {BEGIN, "{'kind':'device'}", END("0", "0")}, "tBF", 0, 0, false,
			false},
		{"a bad port", {BEGIN, DEVICE("a"), "{'kind':'port','scan':1}", END("1", "0")},
			"ttBF", 1, 0, false, false},
		{"a device of another scan",
			{BEGIN, "{'kind':'device','scan':2,'device':'a','ports':1}"}, "tB", 0, 0,
			true, false},
		{"a device twice", {BEGIN, DEVICE("a"), DEVICE("a"), END("1", "0")}, "ttBF", 1, 0,
			false, false},
		{"a bad end", {BEGIN, "{'kind':'scan.end','scan':1}"}, "tB", 0, 0, false, false},
		{"a bad beginning", {"{'kind':'scan.begin'}", DEVICE("a"), END("1", "0")}, "Bii", 0,
			0, false, false},
		{"a bad beginning after a good scan",
			{BEGIN, DEVICE("a"), END("1", "0"), "{'kind':'scan.begin'}", DEVICE("b")},
			"ttFBi", 0, 0, false, false},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
outside(void)
{
	static const struct row rows[] = {
		{"before the first beginning",
			{DEVICE("a"), PORT("a", "1"), END("1", "1"), BEGIN, END("0", "0")}, "iiitF",
			0, 0, false, true},
		{"after the end",
			{BEGIN, END("0", "0"), DEVICE("a"), PORT("a", "1"), END("1", "1")}, "tFiii",
			0, 0, false, true},
		{"other kinds", {"{'kind':'event'}", "{'kind':'gap'}"}, "ii", 0, 0, false, false},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
missing_end(void)
{
	/* The next beginning starts a new scan without anything of the unfinished one. */
	static const struct row rows[] = {
		{"no end", {BEGIN, DEVICE("a"), PORT("a", "1"), BEGIN, DEVICE("b"), END("1", "0")},
			"tttttF", 1, 0, false, true},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
ports_find_their_device(void)
{
	struct scan scan = {0};
	static const char *const lines[] = {BEGIN, PORT("x", "1"), DEVICE("a"), PORT("a", "1"),
		DEVICE("b"), PORT("b", "1"), PORT("b", "2"), PORT("a", "2")};
	static const size_t devices[] = {SIZE_MAX, 0, 1, 1, SIZE_MAX};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++)
		CHECK_INT(take(&scan, lines[i]), 't');
	CHECK_INT((int64_t)scan.port_count, CHECK_COUNT(devices));
	for (size_t i = 0; i < scan.port_count; i++) {
		check_row("port %zu", i);
		CHECK_U64(scan.ports[i].device, devices[i]);
	}
	scan_fini(&scan);
}

static void
records_stay(void)
{
	/* Strings live as long as the scan, even after the caller released the JSON. */
	struct scan scan = {0};
	for (int i = 0; i < 100; i++) {
		char line[200];
		if (i == 0)
			take(&scan, BEGIN);
		snprintf(line, sizeof line,
			"{'kind':'device','scan':1,'device':'mlx5_%d','ports':0}", i);
		CHECK_INT(take(&scan, line), 't');
	}
	CHECK_INT((int64_t)scan.device_count, 100);
	CHECK_STR(scan.devices[0].record.device, "mlx5_0");
	CHECK_STR(scan.devices[57].record.device, "mlx5_57");
	CHECK_STR(scan.begin.ts, "T");
	scan_clear(&scan);
	CHECK_INT((int64_t)scan.device_count, 0);
	CHECK(!scan.open && !scan.whole);
	/* The arrays keep their memory and are used again. */
	take(&scan, BEGIN);
	take(&scan, DEVICE("again"));
	CHECK_STR(scan.devices[0].record.device, "again");
	scan_fini(&scan);
}

/* Accept more records of a kind than the limit. */
static void
take_too_many(struct scan *scan, enum scanrec_kind kind)
{
	struct rec_error error;
	const int count = SCAN_DEVICES_MAX + SCAN_PORTS_MAX + 10;
	int accepted = 0;
	for (int i = 0; i < count; i++) {
		char name[16];
		snprintf(name, sizeof name, "d%d", i);
		json_t *json = kind == SCANREC_DEVICE
				       ? json_pack("{s:s, s:i, s:s, s:i}", "kind", "device", "scan",
						 1, "device", name, "ports", 1)
				       : json_pack("{s:s, s:i, s:s, s:i, s:s, s:i}", "kind", "port",
						 "scan", 1, "ts", "T", "boottime_ns", 1, "device",
						 name, "port", 1);
		accepted += scan_accept(scan, kind, json, &error) == SCAN_ACCEPTED;
	}
	CHECK_INT(accepted, count);
}

static void
too_many(void)
{
	static const enum scanrec_kind kinds[] = {SCANREC_DEVICE, SCANREC_PORT};
	for (size_t i = 0; i < CHECK_COUNT(kinds); i++) {
		struct scan scan = {0};
		bool is_device = kinds[i] == SCANREC_DEVICE;
		check_row("%s", is_device ? "devices" : "ports");
		take(&scan, BEGIN);
		take_too_many(&scan, kinds[i]);
		CHECK_U64(scan.device_count, is_device ? SCAN_DEVICES_MAX : 0);
		CHECK_U64(scan.port_count, is_device ? 0 : SCAN_PORTS_MAX);
		CHECK(scan.open && !scan.whole);
		CHECK_INT(take(&scan, END("0", "0")), 'F');
		scan_fini(&scan);
	}
}

static const struct check_test tests[] = {
	{"a scan with all its records is whole", whole_scans},
	{"a scan whose end counts other records than it has is torn", torn_scans},
	{"a bad record is reported and tears the scan", bad_records},
	{"records outside a scan are ignored", outside},
	{"a beginning without the end before it starts a new scan", missing_end},
	{"a port belongs to the device record before it, or to none", ports_find_their_device},
	{"a scan keeps its records until it is cleared", records_stay},
	{"a scan with records beyond the limit is torn, but can end", too_many},
};
CHECK_MAIN(tests)
