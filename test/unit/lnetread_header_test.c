/* Unit tests of lnetread's header: the lines that start and end a read. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/lnetread/header.h"

#include "check.h"

#include <stdlib.h>

static void
begins(void)
{
	static const struct {
		const char *line, *stamp;
		uint64_t boottime_ns;
	} rows[] = {
		{"# lnetread 2026-11-25T16:48:41Z 86400.25", "2026-11-25T16:48:41.000000Z",
			86400250000000},
		{"# lnetread 2026-11-25T17:48:41.123456+01:00 0.01", "2026-11-25T16:48:41.123456Z",
			10000000},
		{"# lnetread 2026-11-25T16:48:41Z 7", "2026-11-25T16:48:41.000000Z", 7000000000},
	};
	struct clock_moment when;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(header_parse(rows[i].line, strlen(rows[i].line), &when), HEADER_BEGIN);
		CHECK_STR(when.stamp, rows[i].stamp);
		CHECK_U64(when.boottime_ns, rows[i].boottime_ns);
	}
}

static void
does_not_begin(void)
{
	static const struct {
		const char *line;
		enum header_status status;
	} rows[] = {
		{"# lnetread end", HEADER_END},
		{"# lnetread end ", HEADER_MALFORMED},
		{"# lnetread", HEADER_MALFORMED},
		{"# lnetread ", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z ", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z 1m30", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z -1", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z 1.2.3", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z 9223372037", HEADER_MALFORMED},
		{"# lnetread 2026-11-25T16:48:41Z 1 2", HEADER_MALFORMED},
		{"# lnetread yesterday 1", HEADER_MALFORMED},
		{" # lnetread end", HEADER_NONE},
		{"# lnetrea", HEADER_NONE},
		{"#lnetread end", HEADER_NONE},
		{"net:", HEADER_NONE},
		{"", HEADER_NONE},
	};
	struct clock_moment when;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].line);
		CHECK_INT(header_parse(rows[i].line, strlen(rows[i].line), &when), rows[i].status);
	}
}

/* Parse a line of `length` bytes that is a header apart from its length. */
static enum header_status
parse_long(size_t length)
{
	static const char begin[] = "# lnetread 2026-11-25T16:48:41Z 1.";
	struct clock_moment when;
	char *line = check_repeat_new('0', length);
	memcpy(line, begin, strlen(begin));
	enum header_status status = header_parse(line, length, &when);
	free(line);
	return status;
}

static void
length(void)
{
	CHECK_INT(parse_long(HEADER_MAX_BYTES - 1), HEADER_BEGIN);
	CHECK_INT(parse_long(HEADER_MAX_BYTES), HEADER_MALFORMED);
}

static void
nul(void)
{
	struct clock_moment when;
	CHECK_INT(header_parse("# lnetread end\0x", 16, &when), HEADER_MALFORMED);
}

static const struct check_test tests[] = {
	{"a header has the time of day, with any offset, and the seconds since boot", begins},
	{"a header without two valid times starts a read without times", does_not_begin},
	{"a header has less than 128 bytes", length},
	{"a header has no NUL", nul},
};

CHECK_MAIN(tests)
