/* Unit tests of emit's sent: delivered events counted by check and severity, with a bounded number
 * of names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/sink.h"

#include "check.h"
#include "spools.h"

static void
add(struct sent *sent, const char *members)
{
	char *line = spools_line_new(members);
	struct rec_error error;
	json_t *record = rec_parse_new(line, strlen(line), &error);
	sent_add(sent, record);
	json_decref(record);
	free(line);
}

/* Return the checks with counts, first non-fatal and then fatal: `NAME 1 0, NAME 0 2`. */
static const char *
list(uint64_t counts[SENT_CHECKS][SENT_SEVERITY_N])
{
	static char text[200];
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < SENT_CHECKS; i++) {
		if (counts[i][SENT_NOT_FATAL] + counts[i][SENT_FATAL] == 0)
			continue;
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %d %d",
			used > 0 ? ", " : "", sent_check_name(i), (int)counts[i][SENT_NOT_FATAL],
			(int)counts[i][SENT_FATAL]);
	}
	return text;
}

static void
sorts(void)
{
	static const struct {
		const char *members, *expected;
	} rows[] = {
		{"'checkName':'InfiniBandStateCheck','isFatal':true", "InfiniBandStateCheck 0 1"},
		{"'checkName':'InfiniBandDegradationCheck','isFatal':false",
			"InfiniBandDegradationCheck 1 0"},
		{"'checkName':'NICPollStallCheck'", "NICPollStallCheck 1 0"},
		{"'checkName':'EthernetStateCheck'", "EthernetStateCheck 1 0"},
		{"'isFatal':true,'checkName':'EthernetDegradationCheck'",
			"EthernetDegradationCheck 0 1"},
		{"'checkName':'SysLogsNICDriverError','isFatal':'true'",
			"SysLogsNICDriverError 1 0"},
		{"'checkName':'SysLogsNICDriverErrors','isFatal':true", "other 0 1"},
		{"'checkName':'other'", "other 1 0"},
		{"'checkName':'\\u007f\\n{}'", "other 1 0"},
		{"'checkName':['InfiniBandStateCheck']", "other 1 0"},
		{"", "other 1 0"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct sent sent = {.arrived = {{0}}};
		check_row("%s", rows[i].members);
		add(&sent, rows[i].members);
		CHECK_STR(list(sent.on_its_way), rows[i].expected);
	}
}

static void
waits_for_arrival(void)
{
	struct sent sent = {.arrived = {{0}}};
	add(&sent, "'checkName':'InfiniBandStateCheck'");
	CHECK_STR(list(sent.arrived), "");
	sent_forget(&sent);
	sent_arrive(&sent);
	CHECK_STR(list(sent.arrived), "");
	add(&sent, "'checkName':'InfiniBandStateCheck'");
	add(&sent, "'isFatal':true");
	sent_arrive(&sent);
	add(&sent, "'checkName':'InfiniBandStateCheck'");
	sent_arrive(&sent);
	sent_arrive(&sent);
	CHECK_STR(list(sent.arrived), "InfiniBandStateCheck 2 0, other 0 1");
	CHECK_STR(list(sent.on_its_way), "");
}

static void
nobody(void)
{
	add(NULL, "'isFatal':true");
	sent_arrive(NULL);
	sent_forget(NULL);
}

static const struct check_test tests[] = {
	{"an event counts for its check and severity, an unknown check as \"other\"", sorts},
	{"an event counts once it is delivered", waits_for_arrival},
	{"without a counter nothing happens", nobody},
};

CHECK_MAIN(tests)
