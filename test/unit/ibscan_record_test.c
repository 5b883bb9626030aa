/* Unit tests of ibscan's record: the text of a scan's start and end equals jansson's for the same
 * values. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/record.h"

#include "check.h"
#include "rec.h"

#include <limits.h>
#include <string.h>

#define STAMP "2026-11-27T10:00:00.000001Z"
#define WHEN \
	{ \
		.boottime_ns = 12345678901, .stamp = STAMP \
	}

static void
check_same(const struct strbuf *line, const char *json)
{
	struct strbuf slow = {0};
	json_t *tree = json_loads(json, 0, NULL);
	CHECK_INT(rec_add_line(&slow, tree), 0);
	CHECK_STR(line->bytes, slow.bytes);
	json_decref(tree);
	strbuf_fini(&slow);
}

static void
beginnings(void)
{
	static const struct {
		struct record_begin begin;
		const char *json;
	} rows[] = {
		{{WHEN, "gpu-1", "b0", 1000, false},
			"{\"kind\":\"scan.begin\",\"v\":1,\"scan\":7,\"node\":\"gpu-1\","
			"\"boot_id\":\"b0\",\"ts\":\"" STAMP
			"\",\"boottime_ns\":12345678901,\"interval_ms\":1000}"},
		{{WHEN, "a\"\x01\xC3\xA4", NULL, 0, true},
			"{\"kind\":\"scan.begin\",\"v\":1,\"scan\":7,\"node\":"
			"\"a\\\"\\u0001\xC3\xA4\","
			"\"boot_id\":null,\"ts\":\"" STAMP
			"\",\"boottime_ns\":12345678901,\"interval_ms\":0,\"extra\":true}"},
	};
	struct strbuf line = {0};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		CHECK_INT(record_begin_line(&line, 7, &rows[i].begin), 0);
		check_same(&line, rows[i].json);
	}
	strbuf_fini(&line);
}

static void
ends(void)
{
	static const struct {
		struct record_end end;
		const char *json; /* the part behind `boottime_ns` */
	} rows[] = {
		{{.duration_us = 812,
			 .devices = 2,
			 .ports = 3,
			 .unreadable = "",
			 .functions = ",\"unbound\":[],\"functions\":[]"},
			"\"devices\":2,\"ports\":3,\"complete\":true,\"unreadable\":[],"
			"\"duration_us\":812,\"unbound\":[],\"functions\":[]"},
		{{.devices = 1, .unreadable = "\"mlx5_0\",\"a\\u0001\"", .functions = ""},
			"\"devices\":1,\"ports\":0,\"complete\":false,"
			"\"unreadable\":[\"mlx5_0\",\"a\\u0001\"],\"duration_us\":0"},
		{{.unreadable = "",
			 .functions = ",\"unbound\":[]",
			 .elsewhere = "\"mlx5_1\",\"a\\u0001\""},
			"\"devices\":0,\"ports\":0,\"complete\":true,\"unreadable\":[],"
			"\"duration_us\":0,\"unbound\":[],\"elsewhere\":[\"mlx5_1\",\"a\\u0001\"]"},
		{{.unreadable = "", .functions = "", .elsewhere = "", .error = "EACCES"},
			"\"devices\":0,\"ports\":0,\"complete\":false,\"unreadable\":[],"
			"\"duration_us\":0,\"error\":\"EACCES\""},
		{{.unreadable = "",
			 .functions = "",
			 .verbs_error = "EIO",
			 .mad_error = "ENOENT",
			 .extra = true},
			"\"devices\":0,\"ports\":0,\"complete\":true,\"unreadable\":[],"
			"\"duration_us\":0,\"verbs_error\":\"EIO\",\"mad_error\":\"ENOENT\","
			"\"extra\":true"},
	};
	struct strbuf line = {0};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct record_end end = rows[i].end;
		char json[512];
		end.when = (struct clock_moment)WHEN;
		snprintf(json, sizeof json,
			"{\"kind\":\"scan.end\",\"scan\":7,\"ts\":\"" STAMP
			"\",\"boottime_ns\":12345678901,%s}",
			rows[i].json);
		check_row("row %zu", i);
		CHECK_INT(record_end_line(&line, 7, &end), 0);
		check_same(&line, json);
	}
	strbuf_fini(&line);
}

static void
names(void)
{
	char longest[NAME_MAX + 1];
	struct strbuf list = {0};

	memset(longest, 1, NAME_MAX);
	longest[NAME_MAX] = '\0';
	record_list_name(&list, "mlx5_0");
	CHECK_STR(list.bytes, "\"mlx5_0\"");
	record_list_name(&list, "a\"\xff");
	CHECK_STR(list.bytes, "\"mlx5_0\",\"a\\\"\xEF\xBF\xBD\"");
	strbuf_clear(&list);
	record_list_name(&list, longest);
	record_list_name(&list, longest);
	CHECK_INT((int64_t)list.length, 2 * (6 * NAME_MAX + 2) + 1);
	strbuf_fini(&list);
}

static const struct check_test tests[] = {
	{"a scan's start record has the same bytes as jansson's for the same values", beginnings},
	{"a scan's end record has the same bytes as jansson's for the same values", ends},
	{"names of any bytes become a list of strings", names},
};
CHECK_MAIN(tests)
