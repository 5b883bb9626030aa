/* Unit tests of the supervisor's heartbeat: when the line is due, and its text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/health.h"

#include "check.h"
#include "views.h"

/* A service that started at `START`, and its heartbeat over time. */
#define START (1000 * S)

struct course {
	struct health_heartbeat heartbeat;
	struct service_view view;
};

static struct course
begun(void)
{
	struct course course = {.view = view_of_a_healthy_node()};
	course.view.started_ns = START;
	return course;
}

static bool
due_at(struct course *course, uint64_t seconds, uint64_t port_set)
{
	course->view.now_ns = START + seconds * S;
	course->view.vitals[METRICS_PORT_SET] = port_set;
	return health_heartbeat_due(&course->heartbeat, &course->view);
}

static void
hourly(void)
{
	struct course course = begun();
	for (uint64_t second = 0; second < 20000; second++)
		CHECK_INT(due_at(&course, second, second < 3 ? 0 : 7),
			second == 3 || (second > 3 && (second - 3) % 3600 == 0));
}

static void
without_a_scan(void)
{
	struct course course = begun();
	for (uint64_t second = 0; second < 10000; second++)
		CHECK_INT(due_at(&course, second, 0), second == 3600 || second == 7200);
}

static void
changes(void)
{
	struct course course = begun();
	CHECK(due_at(&course, 1, 7));
	CHECK(due_at(&course, 2, 8));
	CHECK(!due_at(&course, 3, 8));
	CHECK(!due_at(&course, 61, 8));
	CHECK(due_at(&course, 62, 7));
	/* an hour from then on */
	CHECK(!due_at(&course, 3661, 7));
	CHECK(due_at(&course, 3662, 7));
}

static void
flapping(void)
{
	struct course course = begun();
	size_t lines = 0;
	CHECK(due_at(&course, 0, 1));
	for (uint64_t second = 10; second < 610; second++)
		lines += due_at(&course, second, 1 + second % 3);
	CHECK_U64(lines, 10);
	/* The last change is reported once the minute is over. */
	uint64_t told = (course.heartbeat.change_ns - START) / S;
	for (uint64_t second = 610; second < 700; second++)
		CHECK_INT(due_at(&course, second, 9), second == told + 60);
	CHECK_U64(course.heartbeat.port_set, 9);
	/* A set that equals the last reported one is no change. */
	CHECK(due_at(&course, 700, 1));
	CHECK(!due_at(&course, 701, 2));
	for (uint64_t second = 702; second < 900; second++)
		CHECK(!due_at(&course, second, 1));
}

static void
restarted(void)
{
	struct course course = begun();
	CHECK(due_at(&course, 1, 7));
	CHECK(!due_at(&course, 100, 0));
	CHECK(!due_at(&course, 200, 7));
	CHECK(!due_at(&course, 300, 0));
	CHECK(due_at(&course, 400, 8));
}

static void
stopping(void)
{
	struct course course = begun();
	course.view.stopping = true;
	CHECK(!due_at(&course, 1, 7));
	CHECK(!due_at(&course, 5000, 8));
}

static const char *
line_of(const struct service_view *view)
{
	static char line[HEALTH_HEARTBEAT_SIZE];
	health_heartbeat_format(view, line, sizeof line);
	return line;
}

static void
says_what_is_watched(void)
{
	struct service_view view = view_of_a_healthy_node();
	CHECK_STR(line_of(&view),
		"healthy: watching 18 ports of 16 devices (compute 16, storage 2), "
		"18 devices found; standing: none; restarts: none");
	view.vitals[METRICS_MONITORED_PORTS] = view.vitals[METRICS_MONITORED_DEVICES] = 1;
	view.vitals[METRICS_COMPUTE] = view.vitals[METRICS_STORAGE] = 0;
	view.vitals[METRICS_NO_ROLE] = view.vitals[METRICS_DEVICES] = 1;
	view.standing_fatal = 1;
	view.standing_degraded = 2;
	view.stages[STAGE_CTREVAL].restarts = 2;
	view.stages[STAGE_IBSCAN].restarts = 1;
	CHECK_STR(line_of(&view),
		"healthy: watching 1 port of 1 device (without a role 1), 1 device found; "
		"standing: 1 fatal, 2 degraded; restarts: ibscan 1, ctreval 2");
	view.standing_fatal = 0;
	CHECK_HAS(line_of(&view), "; standing: 2 degraded; ");
}

static void
says_that_nothing_is_watched(void)
{
	struct service_view view = view_of_a_healthy_node();
	view.vitals[METRICS_MONITORED_PORTS] = view.vitals[METRICS_MONITORED_DEVICES] = 0;
	CHECK_STR(line_of(&view),
		"healthy: NO PORT IS MONITORED, 18 devices found; standing: none; "
		"restarts: none");
	view.vitals[METRICS_PORT_SET] = 0;
	CHECK_STR(line_of(&view), "healthy: no complete scan yet; standing: none; restarts: none");
}

static void
says_that_nothing_is_listed(void)
{
	struct service_view view = view_of_a_healthy_node();
	view.vitals[METRICS_UNLISTED] = 1;
	CHECK_STR(line_of(&view),
		"healthy: THE DEVICES CANNOT BE LISTED, before that: watching 18 ports of 16 "
		"devices (compute 16, storage 2), 18 devices found; standing: none; restarts: "
		"none");
	view.vitals[METRICS_PORT_SET] = 0;
	CHECK_STR(line_of(&view),
		"healthy: THE DEVICES CANNOT BE LISTED; standing: none; restarts: none");
}

static void
says_that_the_file_is_not_in_force(void)
{
	struct service_view view = view_of_a_healthy_node();
	view.config_refused = true;
	CHECK_HAS(line_of(&view), "; restarts: none; the configuration file cannot be used: an "
				  "older one is in effect");
}

static void
says_what_is_missing(void)
{
	struct service_view view = view_of_a_healthy_node();
	view.stages[STAGE_LOGMATCH].condition = STAGE_LOST;
	view.stages[STAGE_LOGMATCH].reason = "exited with 77";
	CHECK_HAS(line_of(&view), "healthy: watching ");
	CHECK_HAS(line_of(&view), "; restarts: none; without logmatch (exited with 77)");
	/* It will be restarted, and the service continues without it. */
	view.stages[STAGE_CORRELATE].condition = STAGE_DOWN;
	view.stages[STAGE_CORRELATE].reason = "killed by SIGSEGV";
	CHECK_HAS(line_of(&view), "healthy: watching ");
	CHECK_HAS(line_of(&view), "; without correlate (killed by SIGSEGV)");
}

static void
says_why_it_is_unhealthy(void)
{
	struct service_view view = view_of_a_healthy_node();
	view.stages[STAGE_CTREVAL].condition = STAGE_DOWN;
	view.stages[STAGE_CTREVAL].reason = "killed by SIGKILL";
	view.stages[STAGE_CTREVAL].restarts = 1;
	view.last_scan_ns = view.now_ns - 123 * S / 10;
	CHECK_STR(line_of(&view),
		"unhealthy: stage ctreval is down: killed by SIGKILL; no scan was evaluated for "
		"12.3 s; watching 18 ports of 16 devices (compute 16, storage 2), 18 devices "
		"found; "
		"standing: none; restarts: ctreval 1");
	char little[20];
	health_heartbeat_format(&view, little, sizeof little);
	CHECK_STR(little, "unhealthy: stage ct");
}

static const struct check_test tests[] = {
	{"the first complete scan is reported, and then every hour", hourly},
	{"without a scan there is a line every hour all the same", without_a_scan},
	{"a new port set is reported at once", changes},
	{"repeated changes of the port set are reported once a minute, including the last",
		flapping},
	{"a restart of ctreval is no change of ports, but a change meanwhile is one", restarted},
	{"during a shutdown no line is due", stopping},
	{"the line has the watched ports, the standing conditions and the restarts",
		says_what_is_watched},
	{"the line stresses that no port is monitored", says_that_nothing_is_watched},
	{"the line stresses that the devices cannot be listed", says_that_nothing_is_listed},
	{"a refused configuration file stays in the line", says_that_the_file_is_not_in_force},
	{"a stage that cannot run here is named", says_what_is_missing},
	{"the line of an unhealthy service starts with the reason", says_why_it_is_unhealthy},
};
CHECK_MAIN(tests)
