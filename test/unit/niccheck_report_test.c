/* Unit tests of niccheck's report: printing a summary as text and as a record. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/niccheck/lastscan.h"
#include "../../tools/niccheck/report.h"

#include "check.h"

#include <stdlib.h>

/* The content of a summary. */
struct content {
	size_t nics, devices, watched, up;
	bool roleless;
	/* of each level, as many as there are letters: `FDUN` */
	const char *findings;
};

static void
fill(struct summary *summary, const struct content *content)
{
	static const char letters[] = "FDUN";
	summary_init(summary, "gpu-42");
	for (const char *at = content->findings; *at != '\0'; at++)
		summary_add(summary, (enum finding_level)(strchr(letters, *at) - letters), NULL, 0,
			"%c-%td", *at, at - content->findings + 1);
	summary->nics = content->nics;
	summary->devices = content->devices;
	summary->watched_ports = content->watched;
	summary->up_ports = content->up;
	summary->roles = !content->roleless;
	summary_sort(summary);
}

static char *
text_new(const struct summary *summary)
{
	size_t length = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &length);
	report_text(summary, out);
	fclose(out);
	/* The text contains no NUL. */
	CHECK_U64(strlen(text), length);
	return text;
}

static void
texts(void)
{
	static const struct {
		const char *name;
		struct content content;
		const char *text;
	} rows[] = {
		{"healthy", {.nics = 9, .watched = 8, .up = 8, .findings = ""},
			"gpu-42: healthy: 9 NICs, 8 ports watched: 8 up\n"},
		{"one of each", {.nics = 1, .watched = 1, .up = 1, .findings = ""},
			"gpu-42: healthy: 1 NIC, 1 port watched: 1 up\n"},
		{"without roles",
			{.nics = 2, .watched = 1, .up = 0, .roleless = true, .findings = ""},
			"gpu-42: healthy: 2 NICs, 1 port watched without regard to their roles: 0 "
			"up\n"},
		{"notes", {.nics = 9, .watched = 8, .up = 7, .findings = "NN"},
			"gpu-42: healthy: 9 NICs, 8 ports watched: 7 up\n"
			"  note      N-1\n"
			"  note      N-2\n"},
		{"fatal", {.nics = 9, .watched = 8, .up = 7, .findings = "F"},
			"gpu-42: FATAL: F-1\n"
			"  9 NICs, 8 ports watched: 7 up\n"},
		{"degraded", {.nics = 1, .watched = 1, .up = 0, .findings = "D"},
			"gpu-42: DEGRADED: D-1\n"
			"  1 NIC, 1 port watched: 0 up\n"},
		{"unknown", {.findings = "U", .roleless = true},
			"gpu-42: UNKNOWN: U-1\n"
			"  0 NICs, 0 ports watched without regard to their roles: 0 up\n"},
		{"notes are not more", {.nics = 2, .watched = 2, .up = 1, .findings = "NFN"},
			"gpu-42: FATAL: F-2\n"
			"  note      N-1\n"
			"  note      N-3\n"
			"  2 NICs, 2 ports watched: 1 up\n"},
		{"one more", {.nics = 2, .watched = 2, .up = 1, .findings = "UU"},
			"gpu-42: UNKNOWN: U-1 (and 1 more)\n"
			"  unknown   U-2\n"
			"  2 NICs, 2 ports watched: 1 up\n"},
		{"everything", {.nics = 12, .watched = 10, .up = 3, .findings = "NUDFFDUN"},
			"gpu-42: FATAL: F-4 (and 5 more)\n"
			"  fatal     F-5\n"
			"  degraded  D-3\n"
			"  degraded  D-6\n"
			"  unknown   U-2\n"
			"  unknown   U-7\n"
			"  note      N-1\n"
			"  note      N-8\n"
			"  12 NICs, 10 ports watched: 3 up\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct summary summary;
		check_row("%s", rows[i].name);
		fill(&summary, &rows[i].content);
		char *text = text_new(&summary);
		CHECK_STR(text, rows[i].text);
		free(text);
		summary_fini(&summary);
	}
}

static void
no_scan(void)
{
	/* The facts of a summary before any scan. */
	struct summary summary;
	summary_init(&summary, "gpu-42");
	lastscan_eval(&summary, &(const struct scan){0});
	char *text = text_new(&summary);
	CHECK_STR(text, "gpu-42: UNKNOWN: there is no scan to check\n"
			"  0 NICs, 0 ports watched without regard to their roles: 0 up\n");
	free(text);
	json_t *record = report_json_new(&summary);
	CHECK(record != NULL);
	json_decref(record);
	summary_fini(&summary);
}

/* Check that every line of a text is printable, and that there are `lines` of them. */
static void
check_printable(const char *text, size_t lines)
{
	size_t newlines = 0;
	for (const char *at = text; *at != '\0'; at++) {
		newlines += *at == '\n';
		if (*at != '\n' && ((unsigned char)*at < 0x20 || *at == 0x7F))
			CHECK(!"printable");
	}
	CHECK_U64(newlines, lines);
}

static void
hostile_texts(void)
{
	static const char *const rows[][2] = {
		{"\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"},
		{"two\nlines\r\n", "two\\x0alines\\x0d\\x0a"},
		{"\x1b]0;title\a", "\\x1b]0;title\\x07"},
		{"a\tb\x7F", "a\\x09b\\x7f"},
		{"C1: \xC2\x9B"
		 "31m",
			"C1: \\xc2\\x9b31m"},
		{"M\xC3\xBCnchen \xE2\x82\xAC", "M\xC3\xBCnchen \xE2\x82\xAC"},
		{"%s%n%d", "%s%n%d"},
		{"", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char expected[400];
		struct summary summary;
		check_row("%s", rows[i][1]);
		/* As the node's name, as the worst finding and as another. */
		summary_init(&summary, rows[i][0]);
		summary_add(&summary, FINDING_FATAL, NULL, 0, "%s", rows[i][0]);
		summary_add(&summary, FINDING_NOTE, NULL, 0, "%s", rows[i][0]);
		char *text = text_new(&summary);
		snprintf(expected, sizeof expected,
			"%s: FATAL: %s\n  note      %s\n"
			"  0 NICs, 0 ports watched without regard to their roles: 0 up\n",
			rows[i][1], rows[i][1], rows[i][1]);
		CHECK_STR(text, expected);
		check_printable(text, 3);
		free(text);
		summary_fini(&summary);
	}
}

static void
long_texts(void)
{
	/* An event of the maximum length is shown whole, even if each of its bytes is escaped. */
	for (int escaped = 0; escaped <= 1; escaped++) {
		struct summary summary;
		char *message = check_repeat_new(escaped ? '\x1b' : 'x', REC_EVENT_MAX_BYTES - 1);
		json_t *event = json_pack(
			"{s:s, s:b, s:s}", "kind", "event", "isFatal", 1, "message", message);
		summary_init(&summary, "n");
		summary_event(&summary, event);
		json_decref(event);
		char *text = text_new(&summary);
		check_row("%s", escaped ? "escaped" : "plain");
		CHECK_U64(strcspn(text, "\n"),
			strlen("n: FATAL: ") + (escaped ? 4 : 1) * strlen(message));
		check_printable(text, 2);
		free(text);
		free(message);
		summary_fini(&summary);
	}
}

static void
without_strings(void)
{
	/* A summary never holds this; neither report may crash. */
	struct summary summary;
	summary_init(&summary, "n");
	summary_add(&summary, FINDING_FATAL, NULL, 0, "x");
	json_decref(summary.node);
	summary.node = json_integer(7);
	json_decref(summary.findings[0].text);
	summary.findings[0].text = json_null();
	char *text = text_new(&summary);
	CHECK_HAS(text, "?: FATAL: ?\n");
	free(text);
	json_t *record = report_json_new(&summary);
	CHECK(record != NULL);
	json_decref(record);
	summary_fini(&summary);
}

/* --- the record --- */

static void
check_record(const struct summary *summary, const char *expected_text)
{
	size_t length;
	json_t *record = report_json_new(summary);
	json_t *expected = check_json_new(expected_text);
	if (CHECK(record != NULL)) {
		char *line = rec_dump_new(record, &length);
		if (!CHECK(json_equal(record, expected)))
			CHECK_STR(line, expected_text);
		CHECK_U64(check_occurrences(line, "\n"), 1);
		free(line);
	}
	json_decref(record);
	json_decref(expected);
}

static void
records(void)
{
	static const struct {
		struct content content;
		const char *record;
	} rows[] = {
		{{.nics = 7, .devices = 9, .watched = 8, .up = 8, .findings = ""},
			"{'kind':'check','v':1,'node':'gpu-42','boot_id':null,'ts':null,"
			"'status':'healthy','exit_code':0,'roles':true,'devices':9,"
			"'ports_watched':8,'ports_up':8,'findings':[]}"},
		{{.devices = 1, .watched = 2, .up = 1, .roleless = true, .findings = "N"},
			"{'kind':'check','v':1,'node':'gpu-42','boot_id':null,'ts':null,"
			"'status':'healthy','exit_code':0,'roles':false,'devices':1,"
			"'ports_watched':2,'ports_up':1,'findings':["
			"{'level':'note','message':'N-1','device':null,'port':null,'event':null}]"
			"}"},
		{{.findings = "NUDF"},
			"{'kind':'check','v':1,'node':'gpu-42','boot_id':null,'ts':null,"
			"'status':'fatal','exit_code':1,'roles':true,'devices':0,"
			"'ports_watched':0,'ports_up':0,'findings':["
			"{'level':'fatal','message':'F-4','device':null,'port':null,'event':null},"
			"{'level':'degraded','message':'D-3','device':null,'port':null,'event':"
			"null},{'level':'unknown','message':'U-2','device':null,'port':null,'event'"
			":null}"
			",{'level':'note','message':'N-1','device':null,'port':null,'event':null}]"
			"}"},
		{{.findings = "D"},
			"{'kind':'check','v':1,'node':'gpu-42','boot_id':null,'ts':null,"
			"'status':'degraded','exit_code':2,'roles':true,'devices':0,"
			"'ports_watched':0,'ports_up':0,'findings':["
			"{'level':'degraded','message':'D-1','device':null,'port':null,'event':"
			"null}]}"},
		{{.findings = "U"},
			"{'kind':'check','v':1,'node':'gpu-42','boot_id':null,'ts':null,"
			"'status':'unknown','exit_code':3,'roles':true,'devices':0,"
			"'ports_watched':0,'ports_up':0,'findings':["
			"{'level':'unknown','message':'U-1','device':null,'port':null,'event':null}"
			"]}"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct summary summary;
		check_row("%s", rows[i].content.findings);
		fill(&summary, &rows[i].content);
		check_record(&summary, rows[i].record);
		summary_fini(&summary);
	}
}

#define EVENT \
	"{'kind':'event','isFatal':true,'isHealthy':false,'message':'down','errorCode':[]," \
	"'entitiesImpacted':[{'entityType':'NIC','entityValue':'mlx5_0'}," \
	"{'entityType':'NICPort','entityValue':'2'}],'seq':7}"

static void
record_of_a_scan(void)
{
	static const char begin[] =
		"{'kind':'scan.begin','v':1,'scan':1,'node':'n-1','boot_id':'b-1','ts':'t-1',"
		"'boottime_ns':1}";
	static const char *const lines[] = {
		begin,
		"{'kind':'device','scan':1,'device':'mlx5_1','ports':0,'error':'EIO'}",
		"{'kind':'scan.end','scan':1,'devices':1,'ports':0,'complete':false}",
	};
	struct summary summary;
	struct scan scan = {0};
	struct rec_error error;

	summary_init(&summary, "gpu-42");
	json_t *event = check_json_new(EVENT);
	summary_event(&summary, event);
	json_decref(event);
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		json_t *record = check_json_new(lines[i]);
		scan_accept(&scan, scanrec_kind(record), record, &error);
	}
	lastscan_eval(&summary, &scan);
	scan_fini(&scan);
	summary_sort(&summary);
	check_record(&summary,
		"{'kind':'check','v':1,'node':'n-1','boot_id':'b-1','ts':'t-1',"
		"'status':'fatal','exit_code':1,'roles':true,'devices':1,"
		"'ports_watched':0,'ports_up':0,'findings':["
		"{'level':'fatal','message':'down','device':'mlx5_0','port':2,'event':" EVENT "},"
		"{'level':'unknown','message':'NIC mlx5_1 cannot be read (EIO)','device':'mlx5_1',"
		"'port':null,'event':null}]}");
	summary_fini(&summary);
}

static void
record_of_hostile_texts(void)
{
	/* JSON escapes the text; it reads back unchanged except for invalid UTF-8. */
	struct summary summary;
	size_t length;

	summary_init(&summary, "n\x1b\xFF");
	summary_add(&summary, FINDING_UNKNOWN, NULL, 0, "%s", "a\n\"b\"\x01\xC3");
	json_t *record = report_json_new(&summary);
	char *line = record != NULL ? rec_dump_new(record, &length) : NULL;
	if (CHECK(line != NULL)) {
		struct rec_error error;
		json_t *back = rec_parse_new(line, length, &error);
		CHECK(json_equal(back, record));
		CHECK_STR(json_string_value(json_object_get(back, "node")), "n\x1b\xEF\xBF\xBD");
		const json_t *finding = json_array_get(json_object_get(back, "findings"), 0);
		CHECK_STR(json_string_value(json_object_get(finding, "message")),
			"a\n\"b\"\x01\xEF\xBF\xBD");
		json_decref(back);
		check_printable(line, 1);
	}
	free(line);
	json_decref(record);
	summary_fini(&summary);
}

static const struct check_test tests[] = {
	{"the first line has the verdict and the worst finding, the others follow", texts},
	{"without a scan there is still a report", no_scan},
	{"no text reaches the terminal as an escape sequence or as two lines", hostile_texts},
	{"the longest event is shown whole", long_texts},
	{"a value that is not a string is shown as a question mark", without_strings},
	{"the record has exactly these fields", records},
	{"the record has the scan's identity and the events", record_of_a_scan},
	{"the record is one line of JSON, whatever the texts", record_of_hostile_texts},
};
CHECK_MAIN(tests)
