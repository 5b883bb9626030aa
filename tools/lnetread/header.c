/* header - parses the lines that begin and end a read. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "header.h"

#include "num.h"

#include <stdio.h>
#include <string.h>

static const char mark[] = "# lnetread";

/* Parse seconds such as `86400.25` into nanoseconds. */
static bool
parse_uptime(const char *text, uint64_t *ns)
{
	char duration[HEADER_MAX_BYTES];

	/* Reject other units: `1m30` plus the `s` appended below would be a valid duration. */
	if (*text == '\0' || strspn(text, "0123456789.") != strlen(text))
		return false;
	snprintf(duration, sizeof duration, "%ss", text);
	return num_parse_duration(duration, INT64_MAX, ns) == NUM_OK;
}

enum header_status
header_parse(const char *line, size_t length, struct clock_moment *when)
{
	char copy[HEADER_MAX_BYTES];
	char *rest = copy;
	uint64_t realtime_ns, boottime_ns;

	if (length < strlen(mark) || memcmp(line, mark, strlen(mark)) != 0)
		return HEADER_NONE;
	if (length >= sizeof copy || memchr(line, '\0', length) != NULL)
		return HEADER_MALFORMED;
	memcpy(copy, line, length);
	copy[length] = '\0';
	(void)strsep(&rest, " ");
	(void)strsep(&rest, " ");
	const char *stamp = strsep(&rest, " ");
	if (stamp != NULL && rest == NULL && strcmp(stamp, "end") == 0)
		return HEADER_END;
	const char *uptime = strsep(&rest, " ");
	if (uptime == NULL || rest != NULL || !clock_parse(stamp, &realtime_ns) ||
		!parse_uptime(uptime, &boottime_ns))
		return HEADER_MALFORMED;
	when->boottime_ns = boottime_ns;
	clock_format(realtime_ns, when->stamp);
	return HEADER_BEGIN;
}
