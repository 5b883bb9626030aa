/* Unit tests of logmatch's lineform: parsing the forms of a line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "loglines.h"

static void
check_samples(enum logline_format format, const struct logline_sample *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		loglines_check(format, &rows[i], false);
}

static void
every_form(void)
{
	check_samples(LOGLINE_AUTO, loglines_forms, CHECK_COUNT(loglines_forms));
}

static void
carriage_return(void)
{
	for (size_t i = 0; i < CHECK_COUNT(loglines_forms); i++) {
		char *line = NULL;
		CHECK(asprintf(&line, "%s\r", loglines_forms[i].line) > 0);
		struct logline_sample sample = loglines_forms[i];
		sample.line = line;
		loglines_check(LOGLINE_AUTO, &sample, false);
		free(line);
	}
}

/* rsyslog keeps the blank behind the tag in the text, and its template adds one. */
static void
second_blank(void)
{
	static const struct logline_sample rows[] = {
		{"<4>1 2020-04-23T19:04:25Z h kernel - - -  [  123.456789] x", LOGLINE_MESSAGE,
			LOGLINE_REALTIME, LOGLINES_APRIL, "x"},
		{"<4>1 2020-04-23T19:04:25Z h kernel - - -  x", LOGLINE_MESSAGE, LOGLINE_REALTIME,
			LOGLINES_APRIL, "x"},
		{"<4>1 2020-04-23T19:04:25Z h kernel - - - \xEF\xBB\xBF x", LOGLINE_MESSAGE,
			LOGLINE_REALTIME, LOGLINES_APRIL, "x"},
		{"Apr 23 19:04:25 h kernel:  [  123.456789] x", LOGLINE_MESSAGE, LOGLINE_YEARLESS,
			LOGLINES_APRIL_YEARLESS, "x"},
		{"Apr 23 19:04:25 h kernel:  x", LOGLINE_MESSAGE, LOGLINE_YEARLESS,
			LOGLINES_APRIL_YEARLESS, "x"},
		{"2020-04-23T19:04:25Z h kernel:  x", LOGLINE_MESSAGE, LOGLINE_REALTIME,
			LOGLINES_APRIL, "x"},
		/* A third blank, one behind no tag, and those of journalctl are the kernel's. */
		{"[  123.456789] h kernel:  x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			" x"},
		{"1587668665.000000 h kernel:  x", LOGLINE_MESSAGE, LOGLINE_REALTIME,
			LOGLINES_APRIL, " x"},
		{"Apr 23 19:04:25 h kernel:   x", LOGLINE_MESSAGE, LOGLINE_YEARLESS,
			LOGLINES_APRIL_YEARLESS, " x"},
		{"Apr 23 19:04:25  x", LOGLINE_MESSAGE, LOGLINE_YEARLESS, LOGLINES_APRIL_YEARLESS,
			" x"},
	};
	check_samples(LOGLINE_AUTO, rows, CHECK_COUNT(rows));
}

/* dmesg and journalctl write days and months in the language of their user. */
static void
other_languages(void)
{
	static const struct logline_sample rows[] = {
		{"[Do Apr 23 19:04:25 2020] x", LOGLINE_MESSAGE, LOGLINE_LOCAL, LOGLINES_APRIL,
			"x"},
		{"[mer. d\xC3\xA9"
		 "c.  2 19:04:25 2020] x",
			LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[Mi Dez  2 19:04:25 2020 <    0.000002>] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"x"},
		{"[\xE6\x97\xA5 11\xE6\x9C\x88 29 19:04:25 2020] x", LOGLINE_MESSAGE,
			LOGLINE_NO_TIME, 0, "x"},
		{"[\xE6\x97\xA5  1\xE6\x9C\x88  9 19:04:25 2020] x", LOGLINE_MESSAGE,
			LOGLINE_NO_TIME, 0, "x"},
		{"kern  :err   : [Mi Dez  2 19:04:25 2020] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"x"},
		{"[Dez 2 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[Do, 23. Apr 2020, 19:04:25] x", LOGLINE_MESSAGE, LOGLINE_LOCAL, LOGLINES_APRIL,
			"x"},
		{"[Mi,  2. Dez 2020, 19:04:25 <    0,000002>] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME,
			0, "x"},
		{"[St 30. lis 2026 19:04:25] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[lun. 30 nov. 19:04:25 2026] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[23. Apr 19:04] x", LOGLINE_MESSAGE, LOGLINE_YEARLESS, LOGLINES_S(9831840), "x"},
		{"[ 2. Dez 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[30.lis 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[30nov. 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[  +0,000002] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[<    0,000002>] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[  123.456789 <   -0,000002>] x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"x"},
		{"[Dez12 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"[ 1\xE6\x9C\x88 2 19:04] x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"Dez 02 19:04:25 h kernel: x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"d\xC3\xA9"
		 "c. 02 19:04:25 h kernel: x",
			LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "x"},
		{"\xD0\xBD\xD0\xBE\xD1\x8F  2 19:04:25 kernel: x", LOGLINE_MESSAGE, LOGLINE_NO_TIME,
			0, "x"},
		{"11\xE6\x9C\x88 29 19:04:25 h kernel: x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"x"},
		{" 1\xE6\x9C\x88 29 19:04:25 h kernel: x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			"x"},
		{"Dez 02 19:04:25 h kernel: [  123.456789] x", LOGLINE_MESSAGE, LOGLINE_BOOT,
			LOGLINES_UPTIME, "x"},
		LOGLINES_OTHER("Dez 02 19:04:25 h sshd[12]: x"),
	};
	check_samples(LOGLINE_AUTO, rows, CHECK_COUNT(rows));
}

/* Whatever is not wholly such a date belongs to the text. */
static void
no_dates(void)
{
	static const char *const texts[] = {
		"[Mi Dez 32 19:04:25 2020] x",
		"[Mi Dez  2 24:04:25 2020] x",
		"[Mi Dez  2 19:04:25] x",
		"[Mi Dez  2 19:04:25 20] x",
		"[Mi, 32. Dez 2020, 19:04:25] x",
		"[Mi, 2. Dez 2020, 19:04:25] x",
		"[Mi, 12. Dez, 19:04:25] x",
		"[Mi, 12. Dez 2020; 19:04:25] x",
		"[Mi,, 12. Dez 2020, 19:04:25] x",
		"[12. Dez 19:04:25] x",
		"[12. Dez 2020, 19:04:25] x",
		"[12. Dez] x",
		"[ Dez  2 19:04:25 2020] x",
		"[Mi, Dez  2 19:04:25 2020] x",
		"[M_i Dez  2 19:04:25 2020] x",
		"[Mi.. Dez  2 19:04:25 2020] x",
		"[Mi Dez  2 19:04:25 2020]x",
		"[1 Dez  2 19:04:25 2020] x",
		"[111a Dez  2 19:04:25 2020] x",
		"[abcdefghijklmnopqrstuvwxy Dez  2 19:04:25 2020] x",
		"[Dez 2 1904] x",
		"[Dez  2 19:04] x",
		"[ Dez 2 19:04] x",
		/* Without a host and a program it may be any text. */
		"Dez 02 19:04:25 x",
		"Dez 02 19:04:25 mlx5_core 0000:18:00.0: x",
		" Dez 02 19:04:25 h kernel: x",
		"Dez 32 19:04:25 h kernel: x",
		"Mi 2020-04-23 19:04:25 UTC h kernel: x",
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		struct logline_sample sample = {
			texts[i], LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, texts[i]};
		check_samples(LOGLINE_AUTO, &sample, 1);
	}
}

static void
text_is_kept(void)
{
	static const struct logline_sample rows[] = {
		{"[  123.456789]  mlx5e_napi_poll+0x21/0x30", LOGLINE_MESSAGE, LOGLINE_BOOT,
			LOGLINES_UPTIME, " mlx5e_napi_poll+0x21/0x30"},
		{" mlx5e_napi_poll+0x21/0x30 [mlx5_core]", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0,
			" mlx5e_napi_poll+0x21/0x30 [mlx5_core]"},
		{"Apr 23 19:04:25 h kernel:  ? f+0x1/0x2", LOGLINE_MESSAGE, LOGLINE_YEARLESS,
			LOGLINES_APRIL_YEARLESS, "? f+0x1/0x2"},
		{"Apr 23 19:04:25 h kernel: [  123.456789]  f+0x1/0x2", LOGLINE_MESSAGE,
			LOGLINE_YEARLESS, LOGLINES_APRIL_YEARLESS, " f+0x1/0x2"},
		{"4,1,2,-; f+0x1/0x2", LOGLINE_MESSAGE, LOGLINE_BOOT, 2000, " f+0x1/0x2"},
		{"[  123.456789] ", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME, ""},
		{"[  123.456789]", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME, ""},
		{"4,1,2,-;", LOGLINE_MESSAGE, LOGLINE_BOOT, 2000, ""},
		{"Apr 23 19:04:25 h kernel:", LOGLINE_MESSAGE, LOGLINE_YEARLESS,
			LOGLINES_APRIL_YEARLESS, ""},
		{"> text\r\r", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "text\r"},
		{"[  123.456789] \x1B[31red\xFF\xC3\x28", LOGLINE_MESSAGE, LOGLINE_BOOT,
			LOGLINES_UPTIME, "\x1B[31red\xFF\xC3\x28"},
		/* The text in brackets is neither a time nor a thread. */
		{"[  123.456789] [Hardware Error]: x", LOGLINE_MESSAGE, LOGLINE_BOOT,
			LOGLINES_UPTIME, "[Hardware Error]: x"},
		{"[  123.456789] [  124.456789] x", LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"[  124.456789] x"},
	};
	check_samples(LOGLINE_AUTO, rows, CHECK_COUNT(rows));
}

/* As from `dmesg --color=always` and `grep --color=always`. */
static void
colours(void)
{
	static const struct logline_sample rows[] = {
		{"\x1B[32m[  123.456789] \x1B[0m\x1B[33mmlx5_core 0000:18:00.0: "
		 "\x1B[0m\x1B[1mx\x1B[0m",
			LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME,
			"mlx5_core 0000:18:00.0: x"},
		{"kern  :err   : \x1B[32m[  123.456789] \x1B[0m\x1B[33mBUG: \x1B[0msoft",
			LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME, "BUG: soft"},
		{"> \x1B[32m[  123.456789] \x1B[0mx\r", LOGLINE_MESSAGE, LOGLINE_BOOT,
			LOGLINES_UPTIME, "x"},
		{"Apr 23 19:04:25 h kernel: \x1B[01;31m\x1B[Kmlx5\x1B[m\x1B[K_core",
			LOGLINE_MESSAGE, LOGLINE_YEARLESS, LOGLINES_APRIL_YEARLESS, "mlx5_core"},
		LOGLINES_OTHER("\x1B[0m"),
		/* A sequence that moves the cursor is no colour. */
		{"\x1B[2Jx\x1B[", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "\x1B[2Jx\x1B["},
	};
	check_samples(LOGLINE_AUTO, rows, CHECK_COUNT(rows));
}

static void
kernel_texts(void)
{
	static const char *const texts[] = {
		"mlx5_core 0000:18:00.0: Port module event: module 0, Cable unplugged",
		"mlx5_core 0000:18:00.0 eth0: TX timeout detected",
		"watchdog: BUG: soft lockup - CPU#9 stuck for 22s! [swapper/9:0]",
		"NETDEV WATCHDOG: eth0 (mlx5_core): transmit queue 3 timed out",
		"rcu: INFO: rcu_sched self-detected stall on CPU",
		"pcieport 0000:17:01.0: AER: device recovery failed",
		"systemd[1]: Started x.",
		"foo[12]: segfault at 0 ip 0000000000000000 sp 0000000000000000 error 4",
		"{1}[Hardware Error]: event severity: fatal",
		"kern: x",
		"user: root",
		"------------[ cut here ]------------",
		"--",
		"Apr",
		"Code: 00 11",
		"CPU: 3 PID: 0 Comm: swapper/3",
		"<NMI>",
		"<c>x",
		"1: x",
		"4,5 volts",
		"00:1c.0: x",
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		char *stamped = NULL;
		const struct logline_sample bare = {
			texts[i], LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, texts[i]};
		loglines_check(LOGLINE_AUTO, &bare, false);
		CHECK(asprintf(&stamped, "[  123.456789] %s", texts[i]) > 0);
		const struct logline_sample sample = {
			stamped, LOGLINE_MESSAGE, LOGLINE_BOOT, LOGLINES_UPTIME, texts[i]};
		loglines_check(LOGLINE_AUTO, &sample, false);
		free(stamped);
	}
}

static void
others(void)
{
	static const struct logline_sample rows[] = {
		LOGLINES_OTHER(""),
		LOGLINES_OTHER("\r"),
		LOGLINES_OTHER("> "),
		LOGLINES_OTHER(">>"),
		LOGLINES_OTHER("Apr 23 19:04:25 h sudo: root : COMMAND=/bin/echo " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h sshd[12]: " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h (sd-pam)[12]: " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h postfix/smtp[12]: " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h kernel[12]: " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h kernels: " LOGLINES_FAULT),
		LOGLINES_OTHER("Apr 23 19:04:25 h auth.info sshd[12]: " LOGLINES_FAULT),
		LOGLINES_OTHER("<86>Apr 23 19:04:25 h sudo: " LOGLINES_FAULT),
		LOGLINES_OTHER("2026-01-02T03:04:05+0000 h sudo[9]: " LOGLINES_FAULT),
		LOGLINES_OTHER("Fri 2026-01-02 03:04:05 UTC h sudo[9]: " LOGLINES_FAULT),
		LOGLINES_OTHER("1767323045.123456 h sudo[9]: " LOGLINES_FAULT),
		LOGLINES_OTHER("1767323045.123456 h sudo: " LOGLINES_FAULT),
		LOGLINES_OTHER("[  123.456789] h sudo[9]: " LOGLINES_FAULT),
		LOGLINES_OTHER("<86>1 2026-01-02T03:04:05Z h sudo - - - " LOGLINES_FAULT),
		LOGLINES_OTHER("<86>1 2026-01-02T03:04:05Z h kernel 12 - - " LOGLINES_FAULT),
		LOGLINES_OTHER("daemon:info  : [  123.456789] " LOGLINES_FAULT),
		LOGLINES_OTHER("syslog:err   : " LOGLINES_FAULT),
		LOGLINES_OTHER("authpriv.notice: " LOGLINES_FAULT),
		LOGLINES_OTHER("4,391,64766529,+;" LOGLINES_FAULT),
		LOGLINES_OTHER("-- Boot 0123456789abcdef0123456789abcdef --"),
		LOGLINES_OTHER("-- Journal begins at Thu 2020-04-23 19:04:25 UTC. --"),
		LOGLINES_OTHER("-- Reboot --"),
		LOGLINES_OTHER("-- cursor: s=0123;i=1;b=2;m=3;t=4;x=5"),
	};
	check_samples(LOGLINE_AUTO, rows, CHECK_COUNT(rows));
}

static void
dictionaries(void)
{
	static const struct logline_sample after[] = {
		LOGLINES_OTHER(" SUBSYSTEM=pci"),
		LOGLINES_OTHER(" DEVICE=+pci:0000:00:06.0"),
		LOGLINES_OTHER(" A="),
		LOGLINES_OTHER(">  DEVICE=c189:1"),
		{" f+0x1/0x2", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, " f+0x1/0x2"},
		{"SUBSYSTEM=pci", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, "SUBSYSTEM=pci"},
		{" =x", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, " =x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(after); i++)
		loglines_check(LOGLINE_AUTO, &after[i], true);
	static const struct logline_sample elsewhere = {
		" SUBSYSTEM=pci", LOGLINE_MESSAGE, LOGLINE_NO_TIME, 0, " SUBSYSTEM=pci"};
	loglines_check(LOGLINE_AUTO, &elsewhere, false);
	check_samples(LOGLINE_KMSG, after, 3);
}

/* As a reader goes from line to line. */
static void
whole_record(void)
{
	static const struct {
		const char *line;
		enum logline_kind kind;
		bool of_kmsg;
	} rows[] = {
		{" SUBSYSTEM=pci", LOGLINE_MESSAGE, false},
		{"4,391,64766529,-;mlx5_core x", LOGLINE_MESSAGE, true},
		{" SUBSYSTEM=pci", LOGLINE_OTHER, true},
		{" DEVICE=+pci:0000:00:06.0", LOGLINE_OTHER, true},
		{"4,392,64766529,+;more", LOGLINE_OTHER, true},
		{" DEVICE=+pci:0000:00:06.0", LOGLINE_OTHER, true},
		{"[    1.000000] x", LOGLINE_MESSAGE, false},
		{" DEVICE=+pci:0000:00:06.0", LOGLINE_MESSAGE, false},
	};
	struct logline got = {0};
	struct strbuf scratch = {0};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%zu: %s", i, rows[i].line);
		CHECK_INT(lineform_parse(LOGLINE_AUTO, rows[i].line, strlen(rows[i].line),
				  got.of_kmsg, &scratch, &got),
			0);
		CHECK_INT(got.kind, rows[i].kind);
		CHECK_INT(got.of_kmsg, rows[i].of_kmsg);
	}
	strbuf_fini(&scratch);
}

static const char *
reason_of(enum logline_format format, const char *line)
{
	struct strbuf scratch = {0};
	struct logline got;
	CHECK_INT(lineform_parse(format, line, strlen(line), false, &scratch, &got), 0);
	strbuf_fini(&scratch);
	return got.kind == LOGLINE_BAD ? got.reason : "";
}

static void
explicit_formats(void)
{
	static const char kmsg[] = "4,1,2,-;x", stamped[] = "[  123.456789] x",
			  journal[] = "Apr 23 19:04:25 h kernel: x", plain[] = "x",
			  json[] = "{\"MESSAGE\":\"x\"}", raw[] = "<4>[  123.456789] x",
			  monotonic[] = "[  123.456789] h kernel: x",
			  iso[] = "2020-04-23T19:04:25,000000+00:00 x";
	static const struct {
		enum logline_format format;
		const char *line;
		const char *text; /* NULL: rejected */
		enum logline_clock clock;
		uint64_t time_ns;
	} rows[] = {
		{LOGLINE_KMSG, kmsg, "x", LOGLINE_BOOT, 2000},
		{LOGLINE_KMSG, "> 4,1,2,-;x", "x", LOGLINE_BOOT, 2000},
		{LOGLINE_KMSG, stamped, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_KMSG, plain, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_KMSG, journal, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_KMSG, json, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_DMESG, stamped, "x", LOGLINE_BOOT, LOGLINES_UPTIME},
		{LOGLINE_DMESG, raw, "x", LOGLINE_BOOT, LOGLINES_UPTIME},
		{LOGLINE_DMESG, iso, "x", LOGLINE_REALTIME, LOGLINES_APRIL},
		{LOGLINE_DMESG, "kern  :err   : [Thu Apr 23 19:04:25 2020] x", "x", LOGLINE_LOCAL,
			LOGLINES_APRIL},
		{LOGLINE_DMESG, monotonic, "h kernel: x", LOGLINE_BOOT, LOGLINES_UPTIME},
		{LOGLINE_DMESG, plain, plain, LOGLINE_NO_TIME, 0},
		{LOGLINE_DMESG, journal, journal, LOGLINE_NO_TIME, 0},
		{LOGLINE_DMESG, kmsg, kmsg, LOGLINE_NO_TIME, 0},
		{LOGLINE_DMESG, json, json, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, journal, "x", LOGLINES_AT_APRIL},
		{LOGLINE_JOURNAL, json, "x", LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, monotonic, "x", LOGLINE_BOOT, LOGLINES_UPTIME},
		{LOGLINE_JOURNAL, "1767323045.123456 h kernel: x", "x", LOGLINE_REALTIME,
			LOGLINES_JANUARY + LOGLINES_US(123456)},
		{LOGLINE_JOURNAL, stamped, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, plain, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, raw, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, kmsg, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, iso, NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_JOURNAL, "Apr 23 19:04:25 ", NULL, LOGLINE_NO_TIME, 0},
		{LOGLINE_SYSLOG, journal, "x", LOGLINES_AT_APRIL},
		{LOGLINE_SYSLOG, raw, "x", LOGLINE_BOOT, LOGLINES_UPTIME},
		{LOGLINE_SYSLOG, "<4>1 - h kernel - - - x", "x", LOGLINE_NO_TIME, 0},
		{LOGLINE_SYSLOG, "kern.warning: x", "x", LOGLINE_NO_TIME, 0},
		{LOGLINE_SYSLOG, plain, plain, LOGLINE_NO_TIME, 0},
		{LOGLINE_SYSLOG, kmsg, kmsg, LOGLINE_NO_TIME, 0},
		{LOGLINE_SYSLOG, json, json, LOGLINE_NO_TIME, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct logline_sample sample = {rows[i].line,
			rows[i].text == NULL ? LOGLINE_BAD : LOGLINE_MESSAGE, rows[i].clock,
			rows[i].time_ns, rows[i].text};
		loglines_check(rows[i].format, &sample, false);
	}
	CHECK_STR(reason_of(LOGLINE_KMSG, plain), "not a record of /dev/kmsg");
	CHECK_STR(reason_of(LOGLINE_JOURNAL, plain), "not a line of journalctl");
	CHECK_STR(reason_of(LOGLINE_AUTO, "{\"MESSAGE\":"), "not a JSON object");
}

static void
in_every_format(void)
{
	static const struct logline_sample rows[] = {
		LOGLINES_OTHER(""),
		{"{\"kind\":\"gap\",\"v\":1}", LOGLINE_RECORD, LOGLINE_NO_TIME, 0, NULL},
	};
	for (int format = LOGLINE_AUTO; format <= LOGLINE_SYSLOG; format++)
		for (size_t i = 0; i < CHECK_COUNT(rows); i++)
			loglines_check((enum logline_format)format, &rows[i], false);
	static const struct logline_sample second_line =
		LOGLINES_OTHER("                        the second line of a message");
	loglines_check(LOGLINE_JOURNAL, &second_line, false);
}

static const struct check_test tests[] = {
	{"days and months in other languages are no part of the text", other_languages},
	{"a text in words like those of a date stays whole", no_dates},
	{"a second blank behind the tag does not belong to the text", second_blank},
	{"every form gives the message, its clock and its time", every_form},
	{"a carriage return at the end of a line changes nothing", carriage_return},
	{"only a prefix is removed from a text", text_is_kept},
	{"colours for a terminal are not part of a line", colours},
	{"a message of the kernel is not parsed as a prefix", kernel_texts},
	{"lines of other programs, and lines that are no message, are skipped", others},
	{"a dictionary line counts only after a record of /dev/kmsg", dictionaries},
	{"a record of /dev/kmsg announces that its dictionary may follow", whole_record},
	{"a requested format accepts only its own forms", explicit_formats},
	{"empty lines and records of other tools are accepted in every format", in_every_format},
};
CHECK_MAIN(tests)
