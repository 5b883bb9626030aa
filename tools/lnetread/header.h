/* header - parses the lines that begin and end a read (spec#lnet-reads). Pure.
 *
 *	# lnetread 2026-11-25T16:48:41.250000Z 86400.25
 *	# lnetread end
 *
 * The first line has the time of day and the first number of /proc/uptime, which is CLOCK_BOOTTIME
 * in seconds. In YAML both lines are comments. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_HEADER_H
#define NHM_LNETREAD_HEADER_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>

enum header_status {
	HEADER_NONE,      /* the line is none of these, and so part of a read */
	HEADER_BEGIN,     /* begins a read */
	HEADER_MALFORMED, /* begins a read, but its times cannot be parsed */
	HEADER_END,
};

/* A header line that is this long or longer is malformed. */
#define HEADER_MAX_BYTES 128

/* Parse a line without its newline. Sets `*when` only for HEADER_BEGIN. */
enum header_status header_parse(const char *line, size_t length, struct clock_moment *when);

#endif
