/* syslogform - what syslog and journalctl put before a text besides its time: priority, level
 * words, host and program. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SYSLOGFORM_H
#define LOGMATCH_SYSLOGFORM_H

#include "cursor.h"
#include "stamp.h"

/* Whose line it is, as far as its prefix says. */
enum syslogform_origin {
	SYSLOGFORM_NONE,   /* there is no such prefix; the cursor is where it was */
	SYSLOGFORM_KERNEL, /* the cursor is at the text */
	SYSLOGFORM_OTHER,  /* another program's; the cursor is where it was */
};

/* `<PRI>`, 0 to 191 (RFC 3164 4.1.1). Below 8 it is the kernel's facility; what programs write to
 * /dev/kmsg has others. */
enum syslogform_origin syslogform_parse_priority(struct cursor *line);

/* `kern  :err   : ` of dmesg -x, both words filled up to six places, and `kern.warning: `. Of the
 *               facility kern the line is the kernel's. */
enum syslogform_origin syslogform_parse_level(struct cursor *line);

/* Which lines of other programs are recognised after the host. */
enum syslogform_strictness {
	SYSLOGFORM_ANY_TAG, /* `sudo:` too */
	/* Only with a process number: when there was no date, `NETDEV WATCHDOG: eth0 ...` is a text
	 * of the kernel. */
	SYSLOGFORM_TAG_WITH_PID,
};

/* host " " [ facility "." level " " ] "kernel: ". A tag is a program's name, perhaps with a number
 * in brackets, and a colon; `kernel[12]:` is a program's that calls itself so: the kernel is no
 * process. The level words are busybox's. */
enum syslogform_origin syslogform_parse_host(
	struct cursor *line, enum syslogform_strictness strictness);

/* RFC 5424 after its <PRI>: "1 " time host program procid msgid data [ " " text ]. `*out` is the
 * time, LOGLINE_NO_TIME when it is `-`. */
enum syslogform_origin syslogform_parse_5424(struct cursor *line, struct stamp *out);

#endif
