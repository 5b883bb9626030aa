/* Unit tests of logmatch's journaljson: parsing entries of journalctl -o json. ' stands for ". */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/lineform.h"

#include "check.h"

#include <stdlib.h>

#define NO_TIME LOGLINE_NO_TIME, 0
#define TIME "'__REALTIME_TIMESTAMP':'1767323045123456',"
#define AT_TIME LOGLINE_REALTIME, UINT64_C(1767323045123456000)

struct row {
	const char *line;
	enum logline_kind kind;
	enum logline_clock clock;
	uint64_t time_ns;
	const char *text; /* or the reason of a LOGLINE_BAD */
	size_t length;
};

static void
check_line(const struct row *row)
{
	struct strbuf scratch = {0};
	struct logline got;
	char *line = strdup(row->line);

	for (char *at = line; *at != '\0'; at++)
		if (*at == '\'')
			*at = '"';
	check_row("%s", row->line);
	CHECK_INT(lineform_parse(LOGLINE_AUTO, line, strlen(line), false, &scratch, &got), 0);
	CHECK_INT(got.kind, row->kind);
	if (row->kind == LOGLINE_BAD && got.kind == LOGLINE_BAD)
		CHECK_STR(got.reason, row->text);
	if (row->kind == LOGLINE_MESSAGE && got.kind == LOGLINE_MESSAGE) {
		CHECK_INT(got.clock, row->clock);
		CHECK_U64(got.time_ns, row->time_ns);
		if (CHECK_U64(got.length, row->length))
			CHECK(memcmp(got.text, row->text, row->length) == 0);
	}
	free(line);
	strbuf_fini(&scratch);
}

static void
check_lines(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		check_line(&rows[i]);
}

static void
messages(void)
{
	static const struct row rows[] = {
		{"{'MESSAGE':'abc'}", LOGLINE_MESSAGE, NO_TIME, "abc", 3},
		{"{'MESSAGE':''}", LOGLINE_MESSAGE, NO_TIME, "", 0},
		{"{'MESSAGE':'a\\u0000b\\nc\\u001b'}", LOGLINE_MESSAGE, NO_TIME, "a\0b\nc\x1B", 6},
		{"{'MESSAGE':'  \xC3\xA9'}", LOGLINE_MESSAGE, NO_TIME, "  \xC3\xA9", 4},
		{"{'MESSAGE':[97,0,255,98]}", LOGLINE_MESSAGE, NO_TIME,
			"a\0\xFF"
			"b",
			4},
		{"{'MESSAGE':[]}", LOGLINE_MESSAGE, NO_TIME, "", 0},
		{"{'MESSAGE':['ab','c']}", LOGLINE_MESSAGE, NO_TIME, "ab\nc", 4},
		{"{'MESSAGE':['ab',[99,100],'']}", LOGLINE_MESSAGE, NO_TIME, "ab\ncd\n", 6},
		{"{'MESSAGE':[[97],[98]]}", LOGLINE_MESSAGE, NO_TIME, "a\nb", 3},
		{"{'kind':'x','MESSAGE':'abc'}", LOGLINE_MESSAGE, NO_TIME, "abc", 3},
		{"{'MESSAGE':'abc','N':123456789012345678901234567890}", LOGLINE_MESSAGE, NO_TIME,
			"abc", 3},
		{" {'MESSAGE':'abc'}", LOGLINE_MESSAGE, NO_TIME, " {\"MESSAGE\":\"abc\"}", 18},
	};
	check_lines(rows, CHECK_COUNT(rows));
}

static void
times(void)
{
	static const struct row rows[] = {
		{"{" TIME "'MESSAGE':'a'}", LOGLINE_MESSAGE, AT_TIME, "a", 1},
		{"{'__REALTIME_TIMESTAMP':1767323045123456,'MESSAGE':'a'}", LOGLINE_MESSAGE,
			AT_TIME, "a", 1},
		{"{'_SOURCE_REALTIME_TIMESTAMP':'1767323045123456','MESSAGE':'a'}", LOGLINE_MESSAGE,
			AT_TIME, "a", 1},
		{"{'_SOURCE_REALTIME_TIMESTAMP':'5'," TIME "'MESSAGE':'a'}", LOGLINE_MESSAGE,
			AT_TIME, "a", 1},
		{"{'_SOURCE_REALTIME_TIMESTAMP':'5','__REALTIME_TIMESTAMP':'x','MESSAGE':'a'}",
			LOGLINE_MESSAGE, LOGLINE_REALTIME, 5000, "a", 1},
		{"{'__REALTIME_TIMESTAMP':'18446744073709551','MESSAGE':'a'}", LOGLINE_MESSAGE,
			LOGLINE_REALTIME, UINT64_C(18446744073709551000), "a", 1},
		{"{'__REALTIME_TIMESTAMP':'18446744073709552','MESSAGE':'a'}", LOGLINE_MESSAGE,
			NO_TIME, "a", 1},
		{"{'__REALTIME_TIMESTAMP':-1,'MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
		{"{'__REALTIME_TIMESTAMP':[],'MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
		{"{'__REALTIME_TIMESTAMP':null,'MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
	};
	check_lines(rows, CHECK_COUNT(rows));
}

static void
origins(void)
{
	static const struct row rows[] = {
		{"{'_TRANSPORT':'kernel','MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
		/* Text that programs write into /dev/kmsg. */
		{"{'_TRANSPORT':'kernel','SYSLOG_IDENTIFIER':'sudo','MESSAGE':'a'}", LOGLINE_OTHER,
			NO_TIME, NULL, 0},
		{"{'_TRANSPORT':'kernel','SYSLOG_FACILITY':'1','MESSAGE':'a'}", LOGLINE_OTHER,
			NO_TIME, NULL, 0},
		{"{'_TRANSPORT':'kernel','SYSLOG_FACILITY':0,'MESSAGE':'a'}", LOGLINE_OTHER,
			NO_TIME, NULL, 0},
		{"{'SYSLOG_IDENTIFIER':'kernel','MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
		{"{'_TRANSPORT':'syslog','SYSLOG_IDENTIFIER':'kernel','MESSAGE':'a'}",
			LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'SYSLOG_IDENTIFIER':'sudo','MESSAGE':'a'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		/* Reduced entries, without their origin. */
		{"{'_PID':'12','MESSAGE':'a'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'_COMM':'sudo','MESSAGE':'a'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'_SYSTEMD_UNIT':'a.service','MESSAGE':'a'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'_PID':null,'_COMM':null,'_EXE':null,'MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME,
			"a", 1},
		{"{'_TRANSPORT':'kernel','_PID':'12','MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a",
			1},
		{"{'_TRANSPORT':null,'MESSAGE':'a'}", LOGLINE_MESSAGE, NO_TIME, "a", 1},
		{"{'_TRANSPORT':['kernel'],'MESSAGE':'a'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'_TRANSPORT':'stdout','MESSAGE':null}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{" TIME "'_TRANSPORT':'kernel'}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'__CURSOR':'s=1','kind':7}", LOGLINE_OTHER, NO_TIME, NULL, 0},
		{"{'kind':'gap'}", LOGLINE_RECORD, NO_TIME, NULL, 0},
	};
	check_lines(rows, CHECK_COUNT(rows));
}

/* Return "" if there is none. */
static char *
text_new(struct logline_span span)
{
	return span.at != NULL ? strndup(span.at, span.length) : strdup("");
}

static void
evidence(void)
{
#define KERNEL "'_TRANSPORT':'kernel','SYSLOG_FACILITY':'0',"
#define DEVICE "'_KERNEL_SUBSYSTEM':'pci','_KERNEL_DEVICE':'+pci:0000:18:00.0',"
	static const struct {
		const char *line;
		enum logline_evidence evidence;
		const char *subsystem, *device;
	} rows[] = {
		{"{" KERNEL DEVICE "'MESSAGE':'a'}", LOGLINE_JOURNALED, "pci", "+pci:0000:18:00.0"},
		{"{" KERNEL DEVICE "'MESSAGE':[97,10,98]}", LOGLINE_JOURNALED, "pci",
			"+pci:0000:18:00.0"},
		{"{'_TRANSPORT':'kernel','SYSLOG_IDENTIFIER':'kernel'," DEVICE "'MESSAGE':'a'}",
			LOGLINE_JOURNALED, "pci", "+pci:0000:18:00.0"},
		{"{" KERNEL "'_KERNEL_DEVICE':'n3','MESSAGE':'a'}", LOGLINE_JOURNALED, "", "n3"},
		{"{" KERNEL "'_KERNEL_DEVICE':['+pci:0','b'],'MESSAGE':'a'}", LOGLINE_JOURNALED, "",
			""},
		{"{" KERNEL "'_KERNEL_DEVICE':null,'MESSAGE':'a'}", LOGLINE_JOURNALED, "", ""},
		/* Without journald's own fields it is a text. */
		{"{'SYSLOG_IDENTIFIER':'kernel','SYSLOG_FACILITY':'0'," DEVICE "'MESSAGE':'a'}",
			LOGLINE_TEXT, "pci", "+pci:0000:18:00.0"},
		{"{'_TRANSPORT':'kernel'," DEVICE "'MESSAGE':'a'}", LOGLINE_TEXT, "pci",
			"+pci:0000:18:00.0"},
		{"{'MESSAGE':'a'}", LOGLINE_TEXT, "", ""},
		{"> {" KERNEL DEVICE "'MESSAGE':'a'}", LOGLINE_TEXT, "pci", "+pci:0000:18:00.0"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct strbuf scratch = {0};
		struct logline got;
		char *line = strdup(rows[i].line);
		for (char *at = line; *at != '\0'; at++)
			if (*at == '\'')
				*at = '"';
		check_row("%s", rows[i].line);
		CHECK_INT(
			lineform_parse(LOGLINE_AUTO, line, strlen(line), false, &scratch, &got), 0);
		CHECK_INT(got.evidence, rows[i].evidence);
		char *subsystem = text_new(got.subsystem), *device = text_new(got.device);
		CHECK_STR(subsystem, rows[i].subsystem);
		CHECK_STR(device, rows[i].device);
		free(subsystem);
		free(device);
		free(line);
		strbuf_fini(&scratch);
	}
}

static void
refused(void)
{
	static const char no_bytes[] = "MESSAGE is an array with other elements than bytes",
			  left_out[] = "MESSAGE is null: journalctl omitted it, use --all",
			  neither[] = "MESSAGE is neither text nor bytes",
			  torn[] = "not a JSON object",
			  unknown[] = "a JSON object with neither MESSAGE nor kind";
	static const struct row rows[] = {
		{"{'MESSAGE':null}", LOGLINE_BAD, NO_TIME, left_out, 0},
		{"{'_TRANSPORT':'kernel','MESSAGE':null}", LOGLINE_BAD, NO_TIME, left_out, 0},
		{"{'MESSAGE':['a',null]}", LOGLINE_BAD, NO_TIME, left_out, 0},
		{"{'MESSAGE':[256]}", LOGLINE_BAD, NO_TIME, no_bytes, 0},
		{"{'MESSAGE':[97,-1]}", LOGLINE_BAD, NO_TIME, no_bytes, 0},
		{"{'MESSAGE':[97,'a']}", LOGLINE_BAD, NO_TIME, no_bytes, 0},
		{"{'MESSAGE':[97,1.5]}", LOGLINE_BAD, NO_TIME, no_bytes, 0},
		{"{'MESSAGE':[[[97]]]}", LOGLINE_BAD, NO_TIME, no_bytes, 0},
		{"{'MESSAGE':7}", LOGLINE_BAD, NO_TIME, neither, 0},
		{"{'MESSAGE':{}}", LOGLINE_BAD, NO_TIME, neither, 0},
		{"{'MESSAGE':['a',true]}", LOGLINE_BAD, NO_TIME, neither, 0},
		{"{", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{'", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{'MESSAGE':'a'", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{'MESSAGE':'a'} x", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{'MESSAGE':'\xFF'}", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{'MESSAGE':'\\ud800'}", LOGLINE_BAD, NO_TIME, torn, 0},
		{"{}", LOGLINE_BAD, NO_TIME, unknown, 0},
		{"{'kind':7}", LOGLINE_BAD, NO_TIME, unknown, 0},
	};
	check_lines(rows, CHECK_COUNT(rows));
}

static const struct check_test tests[] = {
	{"a message is a string, bytes, or an array of several", messages},
	{"the time is the journal's, else the source's, else unknown", times},
	{"an entry is the kernel's by its transport, its facility and its identifier", origins},
	{"journald's own fields are evidence, and any others are only text", evidence},
	{"an entry whose message cannot be read has the reason", refused},
};
CHECK_MAIN(tests)
