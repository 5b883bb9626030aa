/* Unit tests of the supervisor's health: when the service is live and ready, and the reasons if
 * not. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/health.h"

#include "check.h"
#include "views.h"

static void
well(void)
{
	char reason[HEALTH_REASON_SIZE] = "?";
	struct service_view view = view_of_a_healthy_node();
	CHECK(health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "");
	CHECK(health_is_ready(&view, reason, sizeof reason));
	CHECK_STR(reason, "");
	/* a stage that was just restarted is up */
	view.stages[STAGE_CTREVAL].restarts = 3;
	view.stages[STAGE_CTREVAL].reason = "killed by SIGKILL";
	memset(view.vitals, 0, sizeof view.vitals);
	CHECK(health_is_live(&view, reason, sizeof reason));
	CHECK(health_is_ready(&view, reason, sizeof reason));
}

static void
stages(void)
{
	static const struct {
		enum stage_condition condition;
		const char *end, *reason;
	} rows[] = {
		{STAGE_DOWN, "killed by SIGKILL", "stage ctreval is down: killed by SIGKILL\n"},
		{STAGE_DOWN, "", "stage ctreval is down\n"},
		{STAGE_LOST, "exited with 77", ""},
		{STAGE_UNWANTED, "", ""},
		{STAGE_UP, "killed by SIGKILL", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[HEALTH_REASON_SIZE];
		struct service_view view = view_of_a_healthy_node();
		check_row("row %zu", i);
		view.stages[STAGE_CTREVAL].condition = rows[i].condition;
		view.stages[STAGE_CTREVAL].reason = rows[i].end;
		CHECK_INT(health_is_live(&view, reason, sizeof reason), *rows[i].reason == '\0');
		CHECK_STR(reason, rows[i].reason);
		/* Scans are evaluated nevertheless. */
		CHECK(health_is_ready(&view, reason, sizeof reason));
	}
}

static void
optional_stages(void)
{
	static const enum stage_id optional[] = {
		STAGE_IBEVENT, STAGE_LNETREAD, STAGE_LOGMATCH, STAGE_CORRELATE};
	for (size_t i = 0; i < CHECK_COUNT(optional); i++) {
		char reason[HEALTH_REASON_SIZE];
		struct service_view view = view_of_a_healthy_node();
		check_row("row %zu", i);
		view.stages[optional[i]].condition = STAGE_DOWN;
		view.stages[optional[i]].reason = "killed by SIGSEGV";
		CHECK(health_is_live(&view, reason, sizeof reason));
		CHECK_STR(reason, "");
	}
}

static void
spool(void)
{
	char reason[HEALTH_REASON_SIZE];
	struct service_view view = view_of_a_healthy_node();
	view.spool_hangs_since_ns = view.now_ns - 7 * S;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "the spool's disk has not answered for 7 s: events are delivered from "
			  "memory, and not stored\n");
	CHECK(health_is_ready(&view, reason, sizeof reason));
	/* a time in the future is wrong, and must not wrap around */
	view.spool_hangs_since_ns = view.now_ns + 7 * S;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK(strstr(reason, "for 0 s") != NULL);
}

static void
scans(void)
{
	static const struct {
		uint64_t interval_ns, age_ns;
		bool evaluated, live;
	} rows[] = {
		{S, 5 * S, true, true},
		{S, 5 * S + 1, true, false},
		{S / 10, 5 * S, true, true},
		{S / 10, 5 * S + 1, true, false},
		{10 * S, 30 * S, true, true},
		{10 * S, 30 * S + 1, true, false},
		{S, 15 * S, false, true},
		{S, 15 * S + 1, false, false},
		{60 * S, 180 * S, false, true},
		{60 * S, 180 * S + 1, false, false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char reason[HEALTH_REASON_SIZE];
		struct service_view view = view_of_a_healthy_node();
		check_row("row %zu", i);
		view.interval_ns = rows[i].interval_ns;
		view.last_scan_ns = rows[i].evaluated ? view.now_ns - rows[i].age_ns : 0;
		view.started_ns = view.now_ns - (rows[i].evaluated ? 3600 * S : rows[i].age_ns);
		CHECK_INT(health_is_live(&view, reason, sizeof reason), rows[i].live);
		CHECK_INT(strlen(reason) == 0, rows[i].live);
	}
}

static void
scan_reasons(void)
{
	char reason[HEALTH_REASON_SIZE];
	struct service_view view = view_of_a_healthy_node();
	view.last_scan_ns = view.now_ns - 123 * S / 10;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "no scan was evaluated for 12.3 s\n");
	view.last_scan_ns = 0;
	view.started_ns = view.now_ns - 17 * S;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "no scan was evaluated since the start, for 17.0 s\n");
	CHECK(!health_is_ready(&view, reason, sizeof reason));
	CHECK_STR(reason, "no scan has been evaluated yet\n");
	/* A time in the future is no delay. */
	view.last_scan_ns = view.now_ns + S;
	CHECK(health_is_live(&view, reason, sizeof reason));
}

static void
all_reasons(void)
{
	char reason[HEALTH_REASON_SIZE];
	struct service_view view = view_of_a_healthy_node();
	view.stages[STAGE_TOPOCLASS].condition = STAGE_DOWN;
	view.stages[STAGE_TOPOCLASS].reason = "exited with 70";
	view.stages[STAGE_IBSCAN].condition = STAGE_DOWN;
	view.stages[STAGE_IBSCAN].reason = "killed by SIGSEGV";
	view.last_scan_ns = view.now_ns - 60 * S;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "stage ibscan is down: killed by SIGSEGV\n"
			  "stage topoclass is down: exited with 70\n"
			  "no scan was evaluated for 60.0 s\n");
	/* Cut, and still terminated. */
	char little[12];
	CHECK(!health_is_live(&view, little, sizeof little));
	CHECK_STR(little, "stage ibsca");
	char least[1] = "x";
	CHECK(!health_is_live(&view, least, sizeof least));
	CHECK_STR(least, "");
}

static void
stopping(void)
{
	char reason[HEALTH_REASON_SIZE];
	struct service_view view = view_of_a_healthy_node();
	view.stopping = true;
	view.stages[STAGE_IBSCAN].condition = STAGE_DOWN;
	CHECK(!health_is_live(&view, reason, sizeof reason));
	CHECK_STR(reason, "the service is being stopped\n");
	CHECK(!health_is_ready(&view, reason, sizeof reason));
	CHECK_STR(reason, "the service is being stopped\n");
}

static const struct check_test tests[] = {
	{"a node whose stages are up and whose scans are evaluated is live and ready", well},
	{"a required stage that is not up makes the service not live, with the reason", stages},
	{"an optional stage that is down, or waits for its restart, leaves the service live",
		optional_stages},
	{"a spool whose disk hangs makes the service not live, with the time", spool},
	{"no scan for three intervals or 5 s, or 15 s for the first, makes the service not live",
		scans},
	{"the reason says how long there was no scan", scan_reasons},
	{"all reasons are given, one per line, as far as they fit", all_reasons},
	{"a service that is being stopped is neither live nor ready", stopping},
};
CHECK_MAIN(tests)
