/* Unit tests of nicdiff's compare: matching devices of two scans, and finding their differences. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicdiff/compare.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

/* Add a record, given with ' for ". */
static void
add(struct scan *scan, const char *text)
{
	struct rec_error error;
	json_t *record = check_json_new(text);
	enum scanrec_kind kind = scanrec_kind(record);
	enum scan_status status = scan_accept(scan, kind, record, &error);
	CHECK(status == SCAN_ACCEPTED || status == SCAN_FINISHED);
}

/* Return a scan of devices, each `'device':'mlx5_0','pci':...`. */
static struct scan
scan_of(uint64_t at_s, const char *const *devices, size_t count)
{
	struct scan scan = {.open = false};
	char text[512];
	snprintf(text, sizeof text,
		"{'kind':'scan.begin','scan':1,'ts':'2026-11-27T00:00:00Z','boot_id':'b',"
		"'boottime_ns':%llu}",
		(unsigned long long)(at_s * NUM_NS_PER_S));
	add(&scan, text);
	for (size_t i = 0; i < count; i++) {
		snprintf(text, sizeof text, "{'kind':'device','scan':1,'ports':0,%s}", devices[i]);
		add(&scan, text);
	}
	snprintf(text, sizeof text,
		"{'kind':'scan.end','scan':1,'devices':%zu,'ports':0,'complete':true}", count);
	add(&scan, text);
	return scan;
}

/* Return the differences, each as `device fact;`, to free(). */
static char *
differences_new(const char *const *before, size_t before_count, const char *const *after,
	size_t after_count)
{
	struct scan was = scan_of(1, before, before_count), is = scan_of(2, after, after_count);
	json_t *rows = compare_new(&was, &is), *row;
	char *text = check_repeat_new(' ', 1000);
	size_t i, used = 0;
	*text = '\0';
	json_array_foreach (rows, i, row)
		used += (size_t)snprintf(text + used, 1000 - used, "%s %s;",
			json_string_value(json_object_get(row, "device")),
			json_string_value(json_object_get(row, "what")));
	json_decref(rows);
	scan_fini(&was);
	scan_fini(&is);
	return text;
}

static void
pairs(void)
{
	static const struct {
		const char *before, *after;
		const char *expected;
	} rows[] = {
		{"'device':'a','pci':'1'", "'device':'a','pci':'1'", ""},
		{"'device':'a'", "'device':'a'", ""},
		{"'device':'a'", "'device':'b'", "a device;b device;"},
		{"'device':'a','pci':'1'", "'device':'b','pci':'1'", "b device;"},
		{"'device':'a','pci':'1'", "'device':'a','pci':'2'", "a device;a device;"},
		{"'device':'a','pci':'1'", "'device':'a'", "a device;a device;"},
		{"'device':'a','pci':'1','node_guid':'0:1'",
			"'device':'a','pci':'2','node_guid':'0:1'", "a pci;"},
		{"'device':'a','pci':'1','node_guid':'0:0'",
			"'device':'a','pci':'2','node_guid':'0:0'", "a device;a device;"},
		/* A part of another device has the same address. */
		{"'device':'a','pci':'1'", "'device':'b','pci':'1','parent':'a'",
			"a device;b device;"},
		{"'device':'a','pci':'1','parent':'x'", "'device':'b','pci':'1','parent':'x'",
			"b device;"},
		/* So has a subfunction. */
		{"'device':'a','pci':'1'", "'device':'b','pci':'1','vf':true",
			"a device;b device;"},
		{"'device':'a','pci':'1','vf':true", "'device':'b','pci':'1','vf':true",
			"b device;"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s and %s", rows[i].before, rows[i].after);
		char *text = differences_new(&rows[i].before, 1, &rows[i].after, 1);
		CHECK_STR(text, rows[i].expected);
		free(text);
	}
}

static void
prefers_the_surest(void)
{
	static const char *const before[] = {"'device':'a','pci':'1'", "'device':'b','pci':'1'"};
	static const char *const after[] = {"'device':'b','pci':'1'", "'device':'a','pci':'1'"};
	char *text = differences_new(before, 2, after, 2);
	CHECK_STR(text, "");
	free(text);
	/* An address is more certain than a GUID. */
	static const char *const one[] = {"'device':'a','pci':'1','node_guid':'0:1'"};
	static const char *const two[] = {"'device':'x','pci':'9','node_guid':'0:1'",
		"'device':'a','pci':'1','node_guid':'0:2'"};
	text = differences_new(one, 1, two, 2);
	CHECK_STR(text, "a node_guid;x device;");
	free(text);
}

static void
elapses(void)
{
	struct scan none = scan_of(0, NULL, 0), first = scan_of(5, NULL, 0),
		    second = scan_of(7, NULL, 0);
	CHECK_U64(compare_elapsed_ns(&first, &second), 2 * NUM_NS_PER_S);
	CHECK_U64(compare_elapsed_ns(&second, &first), 0);
	CHECK_U64(compare_elapsed_ns(&first, &first), 0);
	CHECK_U64(compare_elapsed_ns(&none, &first), 0);
	second.begin.boot_id = "c";
	CHECK_U64(compare_elapsed_ns(&first, &second), 0);
	second.begin.boot_id = NULL;
	CHECK_U64(compare_elapsed_ns(&first, &second), 0);
	scan_fini(&none);
	scan_fini(&first);
	scan_fini(&second);
}

static const struct check_test tests[] = {
	{"devices match by name and address, by address, or by GUID", pairs},
	{"of two possible matches the more certain one counts", prefers_the_surest},
	{"the elapsed time is known within a boot, if both times are known", elapses},
};

CHECK_MAIN(tests)
