/* syslogform - parses what syslog and journalctl put before a text besides its time: priority,
 * level words, host and program. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_SYSLOGFORM_H
#define LOGMATCH_SYSLOGFORM_H

#include "cursor.h"
#include "stamp.h"

/* The writer of a line, as far as its prefix tells. */
enum syslogform_origin {
	SYSLOGFORM_NONE,   /* no such prefix; the cursor is unchanged */
	SYSLOGFORM_KERNEL, /* the cursor is at the text */
	SYSLOGFORM_OTHER,  /* another program; the cursor is unchanged */
};

/* Parse `<PRI>`, 0 to 191 (RFC 3164 4.1.1). Below 8 it is the kernel's facility; lines that
 * programs write to /dev/kmsg have another one. */
enum syslogform_origin syslogform_parse_priority(struct cursor *line);

/* Parse `kern :err : ` of dmesg -x, both words padded to six places, or `kern.warning: `. The
 * facility kern marks the kernel's line. */
enum syslogform_origin syslogform_parse_level(struct cursor *line);

/* Tags that count as another program's after the host. */
enum syslogform_strictness {
	SYSLOGFORM_ANY_TAG, /* any, such as `sudo:` */
	/* Only a tag with a process number: without a date, `NETDEV WATCHDOG: eth0 ...` is a
	 * message of the kernel. */
	SYSLOGFORM_TAG_WITH_PID,
};

/* Parse [ host " " [ facility "." level " " ] ] "kernel: ". A tag is a program's name, an optional
 * number in brackets, and a colon. `kernel[12]:` is a program with that name: the kernel is no
 * process. Busybox writes the level words. */
enum syslogform_origin syslogform_parse_host(
	struct cursor *line, enum syslogform_strictness strictness);

/* Parse RFC 5424 after its <PRI>: "1 " time host program procid msgid data [ " " text ]. `*out` is
 * the time, LOGLINE_NO_TIME if it is `-`. */
enum syslogform_origin syslogform_parse_5424(struct cursor *line, struct stamp *out);

#endif
