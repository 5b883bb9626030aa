/* logline - a parsed line of a kernel log: its kind, time and text. lineform.h parses it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGLINE_H
#define LOGMATCH_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Forms that a line may have: --format. */
enum logline_format {
	LOGLINE_AUTO,
	LOGLINE_KMSG,    /* records of /dev/kmsg */
	LOGLINE_DMESG,   /* dmesg, with any of its options but --json */
	LOGLINE_JOURNAL, /* journalctl -k, -o short..., -o json */
	LOGLINE_SYSLOG,  /* syslog files: <PRI>, level words, host and tag */
};

/* Kinds of lines. */
enum logline_kind {
	LOGLINE_MESSAGE, /* a message of the kernel */
	/* not the kernel's: a line of another program, even one that it wrote to /dev/kmsg; an
	 * empty line, a dictionary line, a continuation line */
	LOGLINE_OTHER,
	/* a record of the other tools (a JSON object with a `kind`), to be passed on */
	LOGLINE_RECORD,
	LOGLINE_BAD, /* malformed, see `reason` */
};

/* Clock of a line's time. */
enum logline_clock {
	LOGLINE_NO_TIME,
	LOGLINE_REALTIME, /* time_ns is since 1970 */
	LOGLINE_BOOT,     /* time_ns is since the boot of the kernel that wrote the line */
	LOGLINE_LOCAL,    /* time_ns is the civil time of an unknown time zone, as if it were UTC */
	/* the same without the year: time_ns is since the start of the year 1972, which has a 29th
	 * of February */
	LOGLINE_YEARLESS,
};

/* What proves that the kernel wrote a message. */
enum logline_evidence {
	LOGLINE_TEXT,      /* its form only, which a text with line feeds can imitate */
	LOGLINE_JOURNALED, /* fields of the journal that no program can set */
	LOGLINE_RECORDED,  /* facility and dictionary of the record, which only the kernel writes */
};

/* Part of the line or of the scratch buffer; `at` is NULL if there is none. */
struct logline_span {
	const char *at;
	size_t length;
};

struct logline {
	enum logline_kind kind;
	enum logline_evidence evidence;
	enum logline_clock clock;
	uint64_t time_ns;
	/* The message without its prefix, or the object of a LOGLINE_RECORD. Points into the line
	 * or the scratch buffer, not terminated, any bytes. NULL for LOGLINE_BAD, undefined for
	 * LOGLINE_OTHER. */
	const char *text;
	size_t length;
	/* Device that the kernel says the message is about, such as `pci` and `+pci:0000:18:00.0`.
	 * Only for evidence other than LOGLINE_TEXT. */
	struct logline_span subsystem, device;
	/* a record of /dev/kmsg or a line of its dictionary; a dictionary line may follow */
	bool of_kmsg;
	bool has_seq;
	uint64_t seq;       /* of a kmsg record */
	const char *reason; /* of LOGLINE_BAD, for people; a constant */
};

#endif
