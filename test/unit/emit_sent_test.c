/* Unit tests of emit's sent: what has arrived, by check and severity, and no more names than there
 * are checks of ours. */
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

/* Those of all checks, `0 0 1 ...`. */
static const char *
list(uint64_t counts[SENT_CHECKS][SENT_SEVERITY_N])
{
	static char text[200];
	size_t used = 0;
	for (size_t i = 0; i < SENT_CHECKS; i++) {
		for (size_t k = 0; k < SENT_SEVERITY_N; k++)
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%d",
				used == 0 ? ""
				: k == 0  ? "  "
					  : " ",
				(int)counts[i][k]);
	}
	return text;
}

static void
sorts(void)
{
	static const struct {
		const char *members, *expected;
	} rows[] = {
		{"'checkName':'InfiniBandStateCheck','isFatal':true",
			"0 1  0 0  0 0  0 0  0 0  0 0"},
		{"'checkName':'InfiniBandDegradationCheck','isFatal':false",
			"0 0  1 0  0 0  0 0  0 0  0 0"},
		{"'checkName':'EthernetStateCheck'", "0 0  0 0  1 0  0 0  0 0  0 0"},
		{"'isFatal':true,'checkName':'EthernetDegradationCheck'",
			"0 0  0 0  0 0  0 1  0 0  0 0"},
		{"'checkName':'SysLogsNICDriverError','isFatal':'true'",
			"0 0  0 0  0 0  0 0  1 0  0 0"},
		{"'checkName':'SysLogsNICDriverErrors','isFatal':true",
			"0 0  0 0  0 0  0 0  0 0  0 1"},
		{"'checkName':'other'", "0 0  0 0  0 0  0 0  0 0  1 0"},
		{"'checkName':'\\u007f\\n{}'", "0 0  0 0  0 0  0 0  0 0  1 0"},
		{"'checkName':['InfiniBandStateCheck']", "0 0  0 0  0 0  0 0  0 0  1 0"},
		{"", "0 0  0 0  0 0  0 0  0 0  1 0"},
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
	CHECK_STR(list(sent.arrived), "0 0  0 0  0 0  0 0  0 0  0 0");
	sent_forget(&sent);
	sent_arrive(&sent);
	CHECK_STR(list(sent.arrived), "0 0  0 0  0 0  0 0  0 0  0 0");
	add(&sent, "'checkName':'InfiniBandStateCheck'");
	add(&sent, "'isFatal':true");
	sent_arrive(&sent);
	add(&sent, "'checkName':'InfiniBandStateCheck'");
	sent_arrive(&sent);
	sent_arrive(&sent);
	CHECK_STR(list(sent.arrived), "2 0  0 0  0 0  0 0  0 0  0 1");
	CHECK_STR(list(sent.on_its_way), "0 0  0 0  0 0  0 0  0 0  0 0");
}

static void
nobody(void)
{
	add(NULL, "'isFatal':true");
	sent_arrive(NULL);
	sent_forget(NULL);
}

static const struct check_test tests[] = {
	{"an event counts for its check, if that is one of ours, and its severity", sorts},
	{"an event counts once it has arrived", waits_for_arrival},
	{"without anybody who asks nothing happens", nobody},
};

CHECK_MAIN(tests)
