/* logline - what one line of a kernel log says: its time, its text. lineform.h reads it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_LOGLINE_H
#define LOGMATCH_LOGLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which forms a line may have: --format. */
enum logline_format {
	LOGLINE_AUTO,
	LOGLINE_KMSG,    /* records of /dev/kmsg */
	LOGLINE_DMESG,   /* dmesg, with any of its options but --json */
	LOGLINE_JOURNAL, /* journalctl -k, -o short..., -o json */
	LOGLINE_SYSLOG,  /* syslog files: <PRI>, level words, host and tag */
};

/* What a line is. */
enum logline_kind {
	LOGLINE_MESSAGE, /* a message of the kernel */
	/* no message of the kernel: another program's line, also one that it wrote into the
	 * kernel's log; an empty one, a dictionary or continuation line */
	LOGLINE_OTHER,
	/* a record of the other tools (a JSON object with a `kind`), to be passed through */
	LOGLINE_RECORD,
	LOGLINE_BAD, /* not what it should be, see `reason` */
};

/* On which clock a line's time is. */
enum logline_clock {
	LOGLINE_NO_TIME,
	LOGLINE_REALTIME, /* time_ns is since 1970 */
	LOGLINE_BOOT,     /* time_ns is since the boot of the kernel that wrote the line */
	LOGLINE_LOCAL,    /* time_ns is the civil time of an unknown time zone, as if it were UTC */
	/* the same without the year: time_ns is since the start of the year 1972, which has a 29th
	 * of February */
	LOGLINE_YEARLESS,
};

/* What says that a message is the kernel's. */
enum logline_evidence {
	LOGLINE_TEXT,      /* its form only, which a text with line feeds can have, too */
	LOGLINE_JOURNALED, /* the journal's fields, which no program can set */
	LOGLINE_RECORDED,  /* the record's facility and dictionary, which only the kernel writes */
};

/* A part of the line or of the scratch buffer; `at` is NULL when there is none. */
struct logline_span {
	const char *at;
	size_t length;
};

struct logline {
	enum logline_kind kind;
	enum logline_evidence evidence;
	enum logline_clock clock;
	uint64_t time_ns;
	/* The message without anything before it, or the object of a LOGLINE_RECORD; in the line,
	 * or in the scratch buffer. Not terminated, may hold any byte. NULL for LOGLINE_BAD, and of
	 * no use for LOGLINE_OTHER. */
	const char *text;
	size_t length;
	/* Of a message with other evidence than text: which device the kernel says it is about,
	 * such as `pci` and `+pci:0000:18:00.0`. */
	struct logline_span subsystem, device;
	/* a record of /dev/kmsg or a line of its dictionary: so may be the next line */
	bool of_kmsg;
	bool has_seq;
	uint64_t seq;       /* of a kmsg record */
	const char *reason; /* of LOGLINE_BAD, for people; a constant */
};

#endif
