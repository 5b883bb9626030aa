/* Unit tests of logmatch's lineform: lines that almost match a form, and lines that match none. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/kmsgform.h"

#include "loglines.h"
#include "randomness.h"

#include <stdio.h>

#define SEVENTY_DIGITS "1234567890123456789012345678901234567890123456789012345678901234567890"

static void
near_misses(void)
{
	static const char *const lines[] = {
		/* Brackets. */
		"[",
		"[]",
		"[ ",
		"[ ] x",
		"[  123.456789",
		"[  123.456789]x",
		"[  123.] x",
		"[  .5] x",
		"[  123] x",
		"[1234.1234567890] x",
		"[- 1.000000] x",
		"[  1 23.456789] x",
		"[12a.456789] x",
		"[123.45678a] x",
		"[123,456789] x",
		"[" SEVENTY_DIGITS ".000000] x",
		"[18446744073.000000] x",
		"[18446744073709551617.000000] x",
		"[99999999999999999999.000000] x",
		"[  123.456789 <] x",
		"[  123.456789 <0.1] x",
		"[  123.456789 0.000093>] x",
		"[<] x",
		"[<0.000001] x",
		"[+] x",
		"[  +0.000093 x",
		"[  +x.000093] x",
		"[  123.456789][T1 x",
		"[  123.456789][T] x",
		"[  123.456789][X1] x",
		"[  123.456789][T1]x",
		"[  123.456789][T" SEVENTY_DIGITS "] x",
		/* Dates in brackets. */
		"[F1o Apr 23 19:04:25 2020] x",
		"[Thu F1o 23 19:04:25 2020] x",
		"[Thu Apr 31 19:04:25 2020] x",
		"[Thu Apr 00 19:04:25 2020] x",
		"[Thu Apr 23 24:04:25 2020] x",
		"[Thu Apr 23 19:60:25 2020] x",
		"[Thu Apr 23 19:04:61 2020] x",
		"[Thu Apr 23 19:04:25 1969] x",
		"[Thu Apr 23 19:04:25 2554] x",
		"[Thu Apr 23 19:04:25 20200] x",
		"[Mon Feb 29 19:04:25 2021] x",
		"[Thu Apr 23 19:04:25 2020 x",
		"[Thu Apr 23 19:04:25 2020 <x>] x",
		"[Apr23 19:04 x",
		"[Apr23 1904] x",
		"[F1o23 19:04] x",
		"[Apr31 19:04] x",
		"[Feb30 19:04] x",
		"[Apr23 25:04] x",
		/* Dates. */
		"F1o 23 19:04:25 h sudo: x",
		"Apr 32 19:04:25 h sudo: x",
		"Feb 30 19:04:25 h sudo: x",
		"Apr 23 19:04 h sudo: x",
		"Apr 23 19:04:25. h sudo: x",
		"Apr 23 19:04:25.1234567890 h sudo: x",
		"Apr  23 19:04:25 h sudo: x",
		"Apr 3 19:04:25 h sudo: x",
		"apr.. 23 19:04:25 h sudo: x",
		"Apr 23 19:04:25x h sudo: x",
		"2026-13-02T03:04:05Z h sudo: x",
		"2026-02-29T03:04:05Z h sudo: x",
		"2026-01-02T24:00:00Z h sudo: x",
		"2026-1-2T03:04:05Z h sudo: x",
		"1969-01-02T03:04:05Z h sudo: x",
		"9999-01-02T03:04:05Z h sudo: x",
		"02026-01-02T03:04:05Z h sudo: x",
		"2026-01-02T03:04:05+24:00 h sudo: x",
		"2026-01-02T03:04:05+0 h sudo: x",
		"2026-01-02T03:04:05+ h sudo: x",
		"2026-01-02T03:04:05+00:60 h sudo: x",
		"2026-01-02T03:04:05Zx h sudo: x",
		"1970-01-01T00:30:00+01:00 h sudo: x",
		"2020-04-23T19:04:25,x+00:00 x",
		"2020-04-23T19:04:25, x",
		"2020-04-23 19:04:25,123456+00:00 x",
		"Xxx 2026-01-02 03:04:05 UTC h sudo: x",
		"Fri 2026-01-02 03:04:05 +1 h sudo: x",
		"Fri 2026-01-02 03:04:05 ABCDEFG h sudo: x",
		"Fri 2026-01-02 03:04:05",
		/* Numbers. */
		"1767323045.12345 h sudo: x",
		"1767323045.1234567 h sudo: x",
		"1767323045 h sudo: x",
		"1767323045.123456 sudo: x",
		"1767323045.123456",
		"18446744073.000000 h sudo: x",
		SEVENTY_DIGITS ".123456 h sudo: x",
		/* /dev/kmsg. */
		"4,391,64766529,-",
		"4,391,64766529;x",
		"4,391,-;x",
		"4,391,64766529,;x",
		"4,391,64766529,--;x",
		"4,391,64766529,-,a b;x",
		"4,391,64766529,-,a=b",
		"2048,391,64766529,-;x",
		",391,64766529,-;x",
		"4,,64766529,-;x",
		"4,391,,-;x",
		"4,-1,64766529,-;x",
		"4,391,-1,-;x",
		" 4,391,64766529,-;x",
		"4,391,18446744073709552,-;x",
		"4,391,18446744073709551617,-;x",
		"4,18446744073709551617,1,-;x",
		"4," SEVENTY_DIGITS ",64766529,-;x",
		"4,391," SEVENTY_DIGITS ",-;x",
		"4, 391,64766529,-;x",
		/* Priorities and levels. */
		"<",
		"<>x",
		"<1",
		"<192>x",
		"<0004>x",
		"<-1>x",
		"<1x>x",
		"< 1>x",
		"<" SEVENTY_DIGITS ">x",
		"daemon:info:x",
		"daemon:info  :x",
		"daemon:inf   : x",
		"daemon: info : x",
		"daemons:info  : x",
		"mail:info  : x",
		"daemon.info x",
		"daemon.inf: x",
		"daemon.info:x",
		"daemon.: x",
		".info: x",
		"Daemon.info: x",
		/* Braces, dashes. */
		"{1}[Hardware Error]: x",
		"{x",
		"{[",
		"--",
		"--Boot --",
		"- - -",
	};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		const struct logline_sample sample = {
			lines[i], LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, lines[i]};
		loglines_check(LOGLINE_AUTO, &sample, false);
	}
}

/* A valid outer prefix with an invalid next one. */
static void
half_right(void)
{
	static const struct logline_sample rows[] = {
		{"<4>1 2026-01-02T03:04:05Z h sudo - -", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"1 2026-01-02T03:04:05Z h sudo - -"},
		{"<4>1 2026-01-02T03:04:05 h sudo - - - x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"1 2026-01-02T03:04:05 h sudo - - - x"},
		{"<4>2 2026-01-02T03:04:05Z h sudo - - - x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"2 2026-01-02T03:04:05Z h sudo - - - x"},
		{"<4>1 - h sudo - - [a x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"1 - h sudo - - [a x"},
		{"<4>1 - h sudo - - [a=\"] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"1 - h sudo - - [a=\"] x"},
		{"<4>1 - h sudo - - [a=\"\\", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"1 - h sudo - - [a=\"\\"},
		{"<4>1 - h sudo - - x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "1 - h sudo - - x"},
		{"<4>[  123.456789", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "[  123.456789"},
		{"<4><5>x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "<5>x"},
		{"kern  :err   : kern  :err   : x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"kern  :err   : x"},
		{"Apr 23 19:04:25 h kern", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "h kern"},
		{"Apr 23 19:04:25 h kernel", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "h kernel"},
		{"Apr 23 19:04:25 h kernel:x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "h kernel:x"},
		{"Apr 23 19:04:25 h kernel[x]: y", LOGLINE_MESSAGE, LOGLINES_AT_APRIL,
			"h kernel[x]: y"},
		{"Apr 23 19:04:25 h : x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "h : x"},
		{"Apr 23 19:04:25  kernel: x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, " kernel: x"},
		{"Apr 23 19:04:25 kernel:x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "kernel:x"},
		{"Apr 23 19:04:25 mykernel: x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "mykernel: x"},
		{"Apr 23 19:04:25 h kern.loud kernel: x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL,
			"h kern.loud kernel: x"},
		{"Apr 23 19:04:25 mlx5_core 0000:18:00.0: x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL,
			"mlx5_core 0000:18:00.0: x"},
		{"Apr 23 19:04:25 [  123.456789] x", LOGLINE_MESSAGE, LOGLINES_AT_APRIL, "x"},
		{"Apr 23 19:04:25 h kernel: [  123.456789", LOGLINE_MESSAGE, LOGLINES_AT_APRIL,
			"[  123.456789"},
		{"2020-04-23T19:04:25,000000+00:00 mlx5_core 0000:18:00.0: x", LOGLINE_MESSAGE,
			LOGLINE_REALTIME, LOGLINES_APRIL, "mlx5_core 0000:18:00.0: x"},
		{"[  123.456789]  [T1] x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			" [T1] x"},
		{"[  123.456789] cloud: init[1]: x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"cloud: init[1]: x"},
		{"[  123.456789] [x] init[1]: y", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"[x] init[1]: y"},
		{"Apr 23 19:04:25 watchdog: BUG: soft lockup - CPU#9 stuck for 22s!",
			LOGLINE_MESSAGE, LOGLINES_AT_APRIL,
			"watchdog: BUG: soft lockup - CPU#9 stuck for 22s!"},
		{"[  123.456789] h kernel[1]: x", LOGLINE_OTHER, LOGLINE_NO_TIME, 0, NULL},
		{"[  123.456789] h sshd: x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"h sshd: x"},
		{"4,391,18446744073709551,-;x", LOGLINE_MESSAGE, LOGLINE_BOOT,
			UINT64_C(18446744073709551000), "x"},
		{"[18446744072.999999999] x", LOGLINE_MESSAGE, LOGLINE_BOOT,
			UINT64_C(18446744072999999999), "x"},
		{"2553-12-31T23:59:60-23:59 h kernel: x", LOGLINE_MESSAGE, LOGLINE_REALTIME,
			LOGLINES_S(18429379140), "x"},
		{"1970-01-01T00:30:00+00:30 h kernel: x", LOGLINE_MESSAGE, LOGLINE_REALTIME, 0,
			"x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++)
		loglines_check(LOGLINE_AUTO, &rows[i], false);
}

static void
kmsg_escapes(void)
{
	static const struct {
		const char *line, *text;
		size_t length;
	} rows[] = {
		{"4,1,2,-;a\\x0ab\\x5cx41", "a\nb\\x41", 7},
		{"4,1,2,-;\\x00\\x1b\\xff\\xFF", "\0\x1B\xFF\xFF", 4},
		{"4,1,2,-;\\x4", "\\x4", 3},
		{"4,1,2,-;\\x", "\\x", 2},
		{"4,1,2,-;\\", "\\", 1},
		{"4,1,2,-;\\xg0\\X41\\n", "\\xg0\\X41\\n", 10},
		{"4,1,2,-;\\\\x41", "\\A", 2},
	};
	struct strbuf scratch = {0};
	struct logline got;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(lineform_parse(LOGLINE_AUTO, rows[i].line, strlen(rows[i].line), false,
				  &scratch, &got),
			0);
		CHECK_INT(got.kind, LOGLINE_MESSAGE);
		if (CHECK_U64(got.length, rows[i].length))
			CHECK(memcmp(got.text, rows[i].text, got.length) == 0);
	}
	strbuf_fini(&scratch);
}

static void
kmsg_reads(void)
{
	static const struct {
		const char *record;
		enum logline_kind kind;
		const char *text;
		uint64_t seq;
	} rows[] = {
		{"4,391,64766529,-;mlx5_core x\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:06.0\n",
			LOGLINE_MESSAGE, "mlx5_core x", 391},
		{"6,9999999999999999999,0,-;x\n", LOGLINE_MESSAGE, "x",
			UINT64_C(9999999999999999999)},
		{"7,391,64766529,-;x\n", LOGLINE_MESSAGE, "x", 391},
		/* Of another facility than the kernel's: written by a program. */
		{"8,391,64766529,-;x\n", LOGLINE_OTHER, "x", 391},
		{"12,391,64766529,-;x\n", LOGLINE_OTHER, "x", 391},
		{"2047,391,64766529,-;x\n", LOGLINE_OTHER, "x", 391},
		{"4,391,64766529,c;x\n", LOGLINE_OTHER, "x", 391},
		{"4,391,64766529,-;", LOGLINE_MESSAGE, "", 391},
		{"4,391,64766529,-;\n", LOGLINE_MESSAGE, "", 391},
		{"4,391,64766529,z;x\n", LOGLINE_MESSAGE, "x", 391},
		{"4,391,64766529,+;x\n", LOGLINE_OTHER, "x", 391},
		{"", LOGLINE_BAD, NULL, 0},
		{"\n4,391,64766529,-;x\n", LOGLINE_BAD, NULL, 0},
		{"4,391,64766529\n,-;x\n", LOGLINE_BAD, NULL, 0},
		{"> 4,391,64766529,-;x\n", LOGLINE_BAD, NULL, 0},
		{" SUBSYSTEM=pci\n", LOGLINE_BAD, NULL, 0},
		{"{\"kind\":\"gap\"}\n", LOGLINE_BAD, NULL, 0},
		{"x\n", LOGLINE_BAD, NULL, 0},
	};
	struct strbuf scratch = {0};
	struct logline got;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].record);
		CHECK_INT(
			kmsgform_parse(rows[i].record, strlen(rows[i].record), &scratch, &got), 0);
		CHECK_INT(got.kind, rows[i].kind);
		CHECK_U64(got.seq, rows[i].seq);
		CHECK_INT(got.has_seq, rows[i].kind != LOGLINE_BAD);
		if (rows[i].kind == LOGLINE_BAD)
			CHECK_STR(got.reason, "not a record of /dev/kmsg");
		if (rows[i].kind == LOGLINE_MESSAGE)
			CHECK_U64(got.length, strlen(rows[i].text));
	}
	strbuf_fini(&scratch);
}

static void
kmsg_dictionaries(void)
{
#define RECORD "4,391,64766529,-;x"
	static const struct {
		const char *record, *subsystem, *device;
	} rows[] = {
		{RECORD "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:06.0\n", "pci",
			"+pci:0000:00:06.0"},
		{RECORD "\n SUBSYSTEM=pci\n DEVICE=+pci:0000:00:06.0", "pci", "+pci:0000:00:06.0"},
		{RECORD "\r\n SUBSYSTEM=pci\r\n DEVICE=+pci:0000:00:06.0\r\n", "pci",
			"+pci:0000:00:06.0"},
		{RECORD "\n SUBSYSTEM=\n DEVICE=\n", "", ""},
		{RECORD "\n SUBSYSTEM=pci\n", "pci", NULL},
		{RECORD "\n DEVICE=n3\n", NULL, "n3"},
		{RECORD "\n", NULL, NULL},
		{RECORD, NULL, NULL},
		/* Inside the text it is part of the text. */
		{RECORD "\\x0a SUBSYSTEM=pci\\x0a DEVICE=+pci:0000:00:06.0\n", NULL, NULL},
		{RECORD " SUBSYSTEM=pci DEVICE=+pci:0000:00:06.0\n", NULL, NULL},
	};
	struct strbuf scratch = {0};
	struct logline got;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		size_t length = strlen(rows[i].record);
		char *copy = malloc(length);
		memcpy(copy, rows[i].record, length);
		check_row("%s", rows[i].record);
		CHECK_INT(kmsgform_parse(copy, length, &scratch, &got), 0);
		CHECK_INT(got.kind, LOGLINE_MESSAGE);
		CHECK_INT(got.evidence, LOGLINE_RECORDED);
		CHECK_INT(got.subsystem.at != NULL, rows[i].subsystem != NULL);
		CHECK_INT(got.device.at != NULL, rows[i].device != NULL);
		if (got.subsystem.at != NULL && rows[i].subsystem != NULL)
			CHECK(got.subsystem.length == strlen(rows[i].subsystem) &&
				memcmp(got.subsystem.at, rows[i].subsystem, got.subsystem.length) ==
					0);
		if (got.device.at != NULL && rows[i].device != NULL)
			CHECK(got.device.length == strlen(rows[i].device) &&
				memcmp(got.device.at, rows[i].device, got.device.length) == 0);
		free(copy);
	}
	strbuf_fini(&scratch);
}

static void
quoted_records(void)
{
	static const char record[] = "> 4,391,64766529,-;x";
	struct strbuf scratch = {0};
	struct logline got;
	CHECK_INT(lineform_parse(LOGLINE_AUTO, record, strlen(record), false, &scratch, &got), 0);
	CHECK_INT(got.kind, LOGLINE_MESSAGE);
	CHECK_INT(got.evidence, LOGLINE_TEXT);
	strbuf_fini(&scratch);
}

/* Check for any line that parsing reads and points only inside it, and that LOGLINE_AUTO rejects
 * only JSON. */
static void
check_any(const char *line, size_t length)
{
	struct strbuf scratch = {0};
	char *copy;
	for (int format = LOGLINE_AUTO; format <= LOGLINE_SYSLOG; format++) {
		struct logline got;
		CHECK_INT(loglines_parse((enum logline_format)format, line, length, length % 2,
				  &scratch, &got, &copy),
			0);
		bool has_text = got.kind == LOGLINE_MESSAGE || got.kind == LOGLINE_RECORD;
		const char *in_line = has_text && got.length > 0 ? got.text : copy;
		if (got.length > 0 && (in_line < copy || in_line > copy + length))
			CHECK(in_line >= scratch.bytes &&
				in_line + got.length <= scratch.bytes + scratch.size);
		else if (has_text)
			CHECK(got.length <= (size_t)(copy + length - in_line));
		CHECK((got.reason != NULL) == (got.kind == LOGLINE_BAD));
		CHECK(format != LOGLINE_AUTO || got.kind != LOGLINE_BAD ||
			memchr(line, '{', length) != NULL);
		free(copy);
	}
	struct logline record;
	CHECK_INT(kmsgform_parse(line, length, &scratch, &record), 0);
	strbuf_fini(&scratch);
}

static void
every_prefix(void)
{
	for (size_t i = 0; i < CHECK_COUNT(loglines_forms); i++)
		for (size_t n = 0; n <= strlen(loglines_forms[i].line); n++) {
			check_row("%zu bytes of %s", n, loglines_forms[i].line);
			check_any(loglines_forms[i].line, n);
		}
}

/* A line cut in its text is the same line with less text. */
static void
cut_texts(void)
{
	for (size_t i = 0; i < CHECK_COUNT(loglines_forms); i++) {
		const struct logline_sample *form = &loglines_forms[i];
		size_t length = strlen(form->line), text_length = strlen(form->text);
		if (memchr(form->line, '{', length) != NULL)
			continue;
		for (size_t cut = 1; cut < text_length; cut++) {
			char *line = strndup(form->line, length - cut),
			     *text = strndup(form->text, text_length - cut);
			const struct logline_sample sample = {
				line, form->kind, form->clock, form->time_ns, text};
			loglines_check(LOGLINE_AUTO, &sample, false);
			free(line);
			free(text);
		}
	}
}

static void
mutated(void)
{
	static const char bytes[] = "\0\x1B\xFF[]<>{}\"\\:;,.-+ 0919TCkernel\r\n";
	uint64_t state = 20261121;
	for (int round = 0; round < 400; round++)
		for (size_t i = 0; i < CHECK_COUNT(loglines_forms); i++) {
			char *line = strdup(loglines_forms[i].line);
			/* The prefix is in the first bytes; the rest is text. */
			size_t length = strlen(line), window = length < 80 ? length : 80;
			for (size_t n = 1 + randomness_below(&state, 4); n > 0; n--) {
				bool any = randomness_below(&state, 3) == 0;
				line[randomness_below(&state, window)] =
					any ? (char)randomness_below(&state, 256)
					    : bytes[randomness_below(&state, sizeof bytes - 1)];
			}
			check_row("round %d of form %zu", round, i);
			check_any(line, randomness_below(&state, 4) == 0 ? window : length);
			free(line);
		}
}

static void
odd_bytes(void)
{
	static const char line[] = "[  123.456789] a\0b\xFF\x1B\x80";
	struct strbuf scratch = {0};
	struct logline got;
	CHECK_INT(lineform_parse(LOGLINE_AUTO, line, sizeof line - 1, false, &scratch, &got), 0);
	if (CHECK_U64(got.length, 6))
		CHECK(memcmp(got.text, "a\0b\xFF\x1B\x80", 6) == 0);
	CHECK_INT(lineform_parse(LOGLINE_AUTO, "\0", 1, false, &scratch, &got), 0);
	CHECK_INT(got.kind, LOGLINE_MESSAGE);
	CHECK_U64(got.length, 1);
	CHECK_INT(lineform_parse(LOGLINE_AUTO, NULL, 0, false, &scratch, &got), 0);
	CHECK_INT(got.kind, LOGLINE_OTHER);
	strbuf_fini(&scratch);
}

static void
megabytes(void)
{
	static const char fills[] = {' ', '>', '[', '0', 'a', '\\', '{', '<', '\0', '"', '-'};
	static const char *const starts[] = {"", "[", "<4>1 - h kernel - - [", "Apr 23 19:04:25 ",
		"4,1,2,-,", "4,1,2,-;", "{\"MESSAGE\":", "{\"MESSAGE\":\""};
	for (size_t i = 0; i < CHECK_COUNT(starts); i++)
		for (size_t f = 0; f < CHECK_COUNT(fills); f++) {
			size_t length = (size_t)1 << 20;
			char *line = check_repeat_new(fills[f], length);
			memcpy(line, starts[i], strlen(starts[i]));
			check_row("%s and a megabyte of byte %d", starts[i], fills[f]);
			check_any(line, length);
			free(line);
		}
}

static const struct check_test tests[] = {
	{"an almost valid prefix is text", near_misses},
	{"an invalid prefix behind a valid one is text", half_right},
	{"escapes of /dev/kmsg, and only those, are decoded to bytes", kmsg_escapes},
	{"the first line of a read from /dev/kmsg is the message", kmsg_reads},
	{"the lines after the message name the kernel's device", kmsg_dictionaries},
	{"a record quoted in a mail is a text", quoted_records},
	{"a line cut anywhere is parsed without reading beyond it", every_prefix},
	{"a line cut in its text keeps its time", cut_texts},
	{"a line with any bytes changed is parsed without reading beyond it", mutated},
	{"NUL, escape sequences and invalid UTF-8 are kept", odd_bytes},
	{"a line of a megabyte is parsed like any other", megabytes},
};
CHECK_MAIN(tests)
