/* loglines - lines of kernel logs in every form, with their parsed parts, for the tests of
 * logmatch. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGLINES_H
#define LOGLINES_H

#include "../../tools/logmatch/lineform.h"

#include "check.h"
#include "num.h"

#include <stdlib.h>

#define LOGLINES_S(seconds) (UINT64_C(seconds) * NUM_NS_PER_S)
#define LOGLINES_US(micros) (UINT64_C(micros) * 1000)

#define LOGLINES_FAULT \
	"mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause " \
	"a leak of a command resource"

/* 2020-04-23T19:04:25Z, and the same moment counted from the start of a leap year. */
#define LOGLINES_APRIL LOGLINES_S(1587668665)
#define LOGLINES_APRIL_YEARLESS LOGLINES_S(9831865)
/* 2026-01-02T03:04:05Z. */
#define LOGLINES_JANUARY LOGLINES_S(1767323045)
#define LOGLINES_UPTIME UINT64_C(123456789000)

struct logline_sample {
	const char *line;
	enum logline_kind kind;
	enum logline_clock clock;
	uint64_t time_ns;
	const char *text; /* of a message */
};

/* The fault behind the prefix; the other arguments are the clock and the time. */
#define LOGLINES_MESSAGE(prefix, ...) \
	{ \
		prefix LOGLINES_FAULT, LOGLINE_MESSAGE, __VA_ARGS__, LOGLINES_FAULT \
	}
#define LOGLINES_OTHER(line) \
	{ \
		line, LOGLINE_OTHER, LOGLINE_NO_TIME, 0, NULL \
	}

/* The line reader ends a line without a NUL. A copy on the heap without a NUL lets the sanitizers
 * detect reads beyond it. */
static inline int
loglines_parse(enum logline_format format, const char *line, size_t length, bool after_kmsg,
	struct strbuf *scratch, struct logline *out, char **copy)
{
	*copy = malloc(length == 0 ? 1 : length);
	if (length > 0)
		memcpy(*copy, line, length);
	return lineform_parse(format, *copy, length, after_kmsg, scratch, out);
}

/* Check that the line, parsed in the format, matches the sample. */
static inline void
loglines_check(enum logline_format format, const struct logline_sample *sample, bool after_kmsg)
{
	struct strbuf scratch = {0};
	struct logline got;
	char *copy;

	check_row("format %d: %s", (int)format, sample->line);
	CHECK_INT(loglines_parse(format, sample->line, strlen(sample->line), after_kmsg, &scratch,
			  &got, &copy),
		0);
	CHECK_INT(got.kind, sample->kind);
	if (sample->kind == LOGLINE_MESSAGE && got.kind == LOGLINE_MESSAGE) {
		char *text = strndup(got.text, got.length);
		CHECK_INT(got.clock, sample->clock);
		CHECK_U64(got.time_ns, sample->time_ns);
		CHECK_STR(text, sample->text);
		CHECK_U64(got.length, strlen(sample->text));
		free(text);
	}
	CHECK((got.reason != NULL) == (got.kind == LOGLINE_BAD));
	free(copy);
	strbuf_fini(&scratch);
}

#define LOGLINES_AT_APRIL LOGLINE_YEARLESS, LOGLINES_APRIL_YEARLESS

/* A fault in every form that LOGLINE_AUTO accepts. */
static const struct logline_sample loglines_forms[] = {
	/* The kernel's own, dmesg, dmesg -t, -r. */
	LOGLINES_MESSAGE("", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("[  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[12345678.000001] ", LOGLINE_BOOT, UINT64_C(12345678000001000)),
	LOGLINES_MESSAGE("[  123.456789][ T123] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[  123.456789][    C9] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[  123.456789] [    T1] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("<3>[  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("<3>", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("<7>", LOGLINE_NO_TIME, 0),
	/* dmesg -T, -H, -d, -x, --time-format iso. */
	LOGLINES_MESSAGE("[Thu Apr 23 19:04:25 2020] ", LOGLINE_LOCAL, LOGLINES_APRIL),
	LOGLINES_MESSAGE("[Fri Apr  3 19:04:25 2020] ", LOGLINE_LOCAL, LOGLINES_S(1585940665)),
	LOGLINES_MESSAGE("[Thu Apr 23 19:04:25 2020][   C2] ", LOGLINE_LOCAL, LOGLINES_APRIL),
	LOGLINES_MESSAGE(
		"[Thu Apr 23 19:04:25 2020 <    0.000093>] ", LOGLINE_LOCAL, LOGLINES_APRIL),
	LOGLINES_MESSAGE("[Apr23 19:04] ", LOGLINE_YEARLESS, LOGLINES_S(9831840)),
	LOGLINES_MESSAGE("[Apr 3 19:04] ", LOGLINE_YEARLESS, LOGLINES_S(8103840)),
	LOGLINES_MESSAGE("[  +0.000093] ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("[  123.456789 <    0.000093>] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[<    0.000093>] ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("[  -0.000093] ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("[  123.456789 <   -0.000093>] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[<   -0.000093>] ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("2020-04-23T19:04:25,123456+00:00 ", LOGLINE_REALTIME,
		LOGLINES_APRIL + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("2020-04-23T21:04:25,123456+02:00 ", LOGLINE_REALTIME,
		LOGLINES_APRIL + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("2020-04-23T13:34:25,123456-0530[   T7] ", LOGLINE_REALTIME,
		LOGLINES_APRIL + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("2020-04-23T19:04:25,123456+00:00 node-1 kernel: ", LOGLINE_REALTIME,
		LOGLINES_APRIL + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("kern  :err   : ", LOGLINE_NO_TIME, 0),
	/* several times, since util-linux 2.40; a caller without one, since 2.41 */
	LOGLINES_MESSAGE("2020-04-23T19:04:25,000000+00:00 [  123.456789] [ T123] ",
		LOGLINE_REALTIME, LOGLINES_APRIL),
	LOGLINES_MESSAGE(
		"[  123.456789] 2020-04-23T19:04:25,000000+00:00 ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[Thu Apr 23 19:04:25 2020] [<    0.000093>] [  123.456789] ",
		LOGLINE_LOCAL, LOGLINES_APRIL),
	LOGLINES_MESSAGE("[  +0.000093] [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("[ T123] ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("kern  :err   : [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("kern  :notice: [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE(
		"kern  :warn  : [Thu Apr 23 19:04:25 2020] ", LOGLINE_LOCAL, LOGLINES_APRIL),
	LOGLINES_MESSAGE("kern  :emerg : 2020-04-23T19:04:25,000000+00:00 ", LOGLINE_REALTIME,
		LOGLINES_APRIL),
	LOGLINES_MESSAGE("kern.warning: ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("kern.err: [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	/* /dev/kmsg. */
	LOGLINES_MESSAGE("4,391,64766529,-;", LOGLINE_BOOT, LOGLINES_US(64766529)),
	LOGLINES_MESSAGE("6,0,0,-;", LOGLINE_BOOT, 0),
	LOGLINES_MESSAGE("7,391,64766529,z;", LOGLINE_BOOT, LOGLINES_US(64766529)),
	LOGLINES_MESSAGE("4,391,64766529,-,caller=T126;", LOGLINE_BOOT, LOGLINES_US(64766529)),
	LOGLINES_MESSAGE("4,391,64766529,-,caller=T126,a=b;", LOGLINE_BOOT, LOGLINES_US(64766529)),
	/* journalctl -k. */
	LOGLINES_MESSAGE("Apr 23 19:04:25 node-1 kernel: ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE("Apr  3 19:04:25 node-1 kernel: ", LOGLINE_YEARLESS, LOGLINES_S(8103865)),
	LOGLINES_MESSAGE("Feb 29 00:00:00 node-1 kernel: ", LOGLINE_YEARLESS, LOGLINES_S(5097600)),
	LOGLINES_MESSAGE("Dec 31 23:59:59 node-1 kernel: ", LOGLINE_YEARLESS, LOGLINES_S(31622399)),
	LOGLINES_MESSAGE("Apr 23 19:04:25.000001 node-1 kernel: ", LOGLINE_YEARLESS,
		LOGLINES_APRIL_YEARLESS + LOGLINES_US(1)),
	LOGLINES_MESSAGE("Apr 23 19:04:25 node-1 kernel: [  123.456789] ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE(
		"Apr 23 19:04:25 node-1 kernel: [  123.456789][    C9] ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE(
		"2026-01-02T03:04:05+0000 node-1 kernel: ", LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE(
		"2026-01-01T21:34:05-0530 node-1 kernel: ", LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("2026-01-02T03:04:05.123456+00:00 node-1 kernel: ", LOGLINE_REALTIME,
		LOGLINES_JANUARY + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("2026-01-02T03:04:05.123456789Z node-1 kernel: [  123.456789] ",
		LOGLINE_REALTIME, LOGLINES_JANUARY + 123456789),
	LOGLINES_MESSAGE("2026-01-02T03:04:05 node-1 kernel: ", LOGLINE_LOCAL, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("2026-01-02 03:04:05 node-1 kernel: ", LOGLINE_LOCAL, LOGLINES_JANUARY),
	LOGLINES_MESSAGE(
		"Fri 2026-01-02 03:04:05 UTC node-1 kernel: ", LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE(
		"Fri 2026-01-02 03:04:05 CET node-1 kernel: ", LOGLINE_LOCAL, LOGLINES_JANUARY),
	LOGLINES_MESSAGE(
		"Fri 2026-01-02 00:04:05 -03 node-1 kernel: ", LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("Fri 2026-01-02 08:34:05 +0530 node-1 kernel: ", LOGLINE_REALTIME,
		LOGLINES_JANUARY),
	LOGLINES_MESSAGE("1767323045.123456 node-1 kernel: ", LOGLINE_REALTIME,
		LOGLINES_JANUARY + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("[  123.456789] node-1 kernel: ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE(
		"[  123.456789] node-1 kernel: [    7.000000] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE(
		"[  123.456789 <    0.000093 >] node-1 kernel: ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE(
		"[  123.456789 <    0.000093*>] node-1 kernel: ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE(
		"[  123.456789                ] node-1 kernel: ", LOGLINE_BOOT, LOGLINES_UPTIME),
	/* journalctl -k --no-hostname. */
	LOGLINES_MESSAGE("Apr 23 19:04:25 kernel: ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE(
		"Fri 2026-01-02 03:04:05 UTC kernel: ", LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("1767323045.123456 kernel: ", LOGLINE_REALTIME,
		LOGLINES_JANUARY + LOGLINES_US(123456)),
	LOGLINES_MESSAGE("[  123.456789] kernel: ", LOGLINE_BOOT, LOGLINES_UPTIME),
	/* Syslog files and datagrams. */
	LOGLINES_MESSAGE("<4>Apr 23 19:04:25 node-1 kernel: ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE("<4>Apr 23 19:04:25 node-1 kernel: [  123.456789] ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE("<4>2026-01-02T03:04:05.000000+00:00 node-1 kernel: [  123.456789] ",
		LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("<4>1 2026-01-02T03:04:05Z node-1 kernel - - - ", LOGLINE_REALTIME,
		LOGLINES_JANUARY),
	LOGLINES_MESSAGE("<4>1 2026-01-02T03:04:05.25+00:00 node-1 kernel - - - [  123.456789] ",
		LOGLINE_REALTIME, LOGLINES_JANUARY + LOGLINES_US(250000)),
	LOGLINES_MESSAGE("<4>1 - - kernel - - - ", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("<4>1 - - kernel - - - [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("<4>1 2026-01-02T03:04:05Z node-1 kernel - id1 "
			 "[a@1 x=\"1\" y=\"\\\"] \\\\\"][b@2] \xEF\xBB\xBF",
		LOGLINE_REALTIME, LOGLINES_JANUARY),
	LOGLINES_MESSAGE("kern.warning: Apr 23 19:04:25 node-1 kernel: ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE(
		"Apr 23 19:04:25 node-1 kern.warn kernel: [  123.456789] ", LOGLINES_AT_APRIL),
	/* Quoted in mails. */
	LOGLINES_MESSAGE(">", LOGLINE_NO_TIME, 0),
	LOGLINES_MESSAGE("> [  123.456789] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("> > >>[  123.456789][ T123] ", LOGLINE_BOOT, LOGLINES_UPTIME),
	LOGLINES_MESSAGE("> Apr 23 19:04:25 node-1 kernel: ", LOGLINES_AT_APRIL),
	LOGLINES_MESSAGE(">> 4,391,64766529,-;", LOGLINE_BOOT, LOGLINES_US(64766529)),
	/* JSON. */
	{"{\"__REALTIME_TIMESTAMP\":\"1767323045123456\",\"_TRANSPORT\":\"kernel\","
	 "\"MESSAGE\":\"" LOGLINES_FAULT "\"}",
		LOGLINE_MESSAGE, LOGLINE_REALTIME, LOGLINES_JANUARY + LOGLINES_US(123456),
		LOGLINES_FAULT},
	{"> { \"MESSAGE\" : [109,108,120,53,255,10,65] }", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
		"mlx5\xFF\nA"},
};

#endif
