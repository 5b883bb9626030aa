/* Unit tests of ctreval's lnet: when failures of Lustre's network are due (spec#lnet-events). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/lnet.h"

#include "check.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>

#define S NUM_NS_PER_S

/* A read with NIs on ib0 and ib1 of one net, and one on eth0 of another. */
struct read {
	unsigned at_s;
	unsigned failures[3], sends[3];
	unsigned timeouts; /* of peers */
	bool fatal[3];
	bool is_incomplete, lacks_stats;
	unsigned nis; /* how many are there; 0: all three */
};

static struct lnet_memory memory;

static void
take(enum lnetrec_kind kind, json_t *json, uint64_t at_s)
{
	struct lnetrec record;
	struct rec_error error = {.reason = ""};
	json_object_set_new(json, "boottime_ns", json_integer((json_int_t)(at_s * S)));
	CHECK(lnetrec_decode(json, kind, &record, &error));
	lnet_accept(&memory, kind, &record);
	json_decref(json);
}

static void
show(const struct read *read)
{
	static const char *const nets[] = {"o2ib", "o2ib", "tcp"};
	static const char *const netdevs[] = {"ib0", "ib1", "eth0"};
	for (unsigned i = 0; i < (read->nis != 0 ? read->nis : 3); i++)
		take(LNETREC_NI,
			json_pack("{s:s, s:s, s:b, s:{s:i, s:i, s:i, s:i, s:i, s:i}}", "net",
				nets[i], "netdev", netdevs[i], "fatal_error", read->fatal[i],
				"counters", "timeouts", read->failures[i], "error", 0, "no_route",
				0, "aborted", 0, "dropped", 99, "send_count", read->sends[i]),
			read->at_s);
	if (!read->lacks_stats)
		take(LNETREC_STATS,
			json_pack("{s:{s:i, s:i}}", "counters", "remote_timeout_count",
				read->timeouts, "network_timeout_count", 0),
			read->at_s);
	take(LNETREC_END, json_pack("{s:b}", "complete", !read->is_incomplete), read->at_s);
}

/* Return the due failures, as `ib0=10 ib1:fatal`, and mark them as reported. */
static const char *
due(void)
{
	static char text[200];
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < memory.count; i++) {
		struct lnet_ni *ni = &memory.nis[i];
		if (ni->due_failures > 0)
			used += (size_t)snprintf(text + used, sizeof text - used, " %s=%" PRIu64,
				ni->netdev, ni->due_failures);
		if (ni->is_fatal_due)
			used += (size_t)snprintf(
				text + used, sizeof text - used, " %s:fatal", ni->netdev);
		ni->due_failures = 0;
		ni->is_fatal_due = false;
	}
	return used > 0 ? text + 1 : text;
}

#define SHOW(...) \
	do { \
		show(&(struct read){__VA_ARGS__}); \
	} while (0)

static void
failures(void)
{
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100, .failures = {5}, .sends = {1000});
	CHECK_STR(due(), "");
	SHOW(.at_s = 110, .failures = {14}, .sends = {9999});
	CHECK_STR(due(), "");
	SHOW(.at_s = 120, .failures = {15}, .sends = {9999});
	CHECK_STR(due(), "ib0=10");
	/* A new window begins. */
	SHOW(.at_s = 130, .failures = {24}, .sends = {9999});
	CHECK_STR(due(), "");
	SHOW(.at_s = 140, .failures = {25, 0, 30}, .sends = {9999});
	CHECK_STR(due(), "ib0=10 eth0=30");
}

static void
rate(void)
{
	/* At the end of ten minutes: more than 1 % of the sends, and at least three. */
	static const struct {
		unsigned failures, sends;
		const char *due;
	} rows[] = {
		{3, 299, "ib0=3"},
		{3, 300, ""},
		{2, 2, ""},
		{9, 899, "ib0=9"},
		{9, 900, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		memory = (struct lnet_memory){.count = 0};
		check_row("%u of %u", rows[i].failures, rows[i].sends);
		SHOW(.at_s = 100);
		SHOW(.at_s = 699, .failures = {rows[i].failures}, .sends = {rows[i].sends});
		CHECK_STR(due(), "");
		SHOW(.at_s = 700, .failures = {rows[i].failures}, .sends = {rows[i].sends});
		CHECK_STR(due(), rows[i].due);
	}
	/* Failures of the window before do not count. */
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100);
	SHOW(.at_s = 700, .failures = {9}, .sends = {9999});
	SHOW(.at_s = 710, .failures = {18}, .sends = {9999});
	CHECK_STR(due(), "");
}

static void
others(void)
{
	/* Other NIs of the same net fail, too. */
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100);
	SHOW(.at_s = 110, .failures = {50, 1});
	CHECK_STR(due(), "");
	/* A peer does not answer, or the peers are unknown. */
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100);
	SHOW(.at_s = 110, .failures = {50}, .timeouts = 1);
	CHECK_STR(due(), "");
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100, .lacks_stats = true);
	SHOW(.at_s = 110, .failures = {50}, .lacks_stats = true);
	CHECK_STR(due(), "");
	/* A new NI's count from before its first read does not matter. */
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100, .nis = 1);
	SHOW(.at_s = 110, .failures = {0, 50, 50});
	CHECK_STR(due(), "");
}

static void
begun_anew(void)
{
	/* Counters that were reset to 0, and an incomplete read. */
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100, .failures = {50}, .sends = {50}, .timeouts = 7);
	SHOW(.at_s = 110, .failures = {20}, .sends = {20});
	CHECK_STR(due(), "");
	SHOW(.at_s = 700, .failures = {20}, .sends = {20});
	SHOW(.at_s = 710, .failures = {70}, .sends = {90}, .is_incomplete = true);
	CHECK_STR(due(), "");
	SHOW(.at_s = 720, .failures = {30}, .sends = {90});
	CHECK_STR(due(), "ib0=10");
}

static void
fatal(void)
{
	memory = (struct lnet_memory){.count = 0};
	SHOW(.at_s = 100, .fatal = {true});
	CHECK_STR(due(), "");
	SHOW(.at_s = 110);
	SHOW(.at_s = 120, .fatal = {true});
	CHECK_STR(due(), "");
	SHOW(.at_s = 130, .fatal = {true});
	CHECK_STR(due(), "ib0:fatal");
	/* It could not be reported: it is due again. */
	SHOW(.at_s = 140, .fatal = {true});
	CHECK_STR(due(), "ib0:fatal");
	memory.nis[0].fatal_said_ns = 150 * S;
	SHOW(.at_s = 3749, .fatal = {true});
	CHECK_STR(due(), "");
	SHOW(.at_s = 3750, .fatal = {true});
	CHECK_STR(due(), "ib0:fatal");
}

static void
many(void)
{
	memory = (struct lnet_memory){.count = 0};
	for (int read = 0; read < 2; read++) {
		for (int i = 0; i < LNET_NIS_MAX + 5; i++) {
			char netdev[16];
			snprintf(netdev, sizeof netdev, "ib%d", i);
			take(LNETREC_NI,
				json_pack("{s:s, s:s, s:b}", "net", "o2ib", "netdev", netdev,
					"fatal_error", i == LNET_NIS_MAX - 1 || i > LNET_NIS_MAX),
				100);
		}
		take(LNETREC_END, json_pack("{s:b}", "complete", true), 100);
	}
	CHECK_STR(due(), "ib63:fatal");
}

static const struct check_test tests[] = {
	{"ten failures within ten minutes are due, and then the count restarts", failures},
	{"after ten minutes fewer failures are due if they exceed 1 % of the sends", rate},
	{"failures shared by other NIs of the net or caused by peers are not due", others},
	{"reset counters and incomplete reads give no failures", begun_anew},
	{"a failed driver is due in the second read in a row, and again after an hour", fatal},
	{"NIs beyond the limit hide no other NI", many},
};

CHECK_MAIN(tests)
