/* header - the lines that begin and end a read (spec#lnet-reads). Pure.
 *
 *	# lnetread 2026-11-25T16:48:41.250000Z 86400.25
 *	# lnetread end
 *
 * The first has the time of day, and the first number of /proc/uptime, which is CLOCK_BOOTTIME in
 * seconds. To YAML both are comments. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREAD_HEADER_H
#define NHM_LNETREAD_HEADER_H

#include "clock.h"

#include <stdbool.h>
#include <stddef.h>

enum header_status {
	HEADER_NONE,      /* the line is part of a read */
	HEADER_BEGIN,     /* it begins a read */
	HEADER_MALFORMED, /* it begins one, and its times cannot be parsed */
	HEADER_END,
};

/* A longer line is malformed. */
#define HEADER_MAX_BYTES 128

/* Parses a line without its newline. `*when` is set only for HEADER_BEGIN. */
enum header_status header_parse(const char *line, size_t length, struct clock_moment *when);

#endif
