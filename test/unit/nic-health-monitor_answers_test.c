/* Unit tests of the supervisor's answers: the pages /metrics, /healthz, /readyz and the index. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/answers.h"

#include "check.h"
#include "metrics.h"
#include "views.h"

#include <stdio.h>

static struct answers answers;
static struct service_view view;

/* "STATUS TYPE\nTEXT" */
static const char *
answer_to(const char *path)
{
	static char text[32768];
	struct httpd_answer answer;
	answers_give(&answers, &view, path, &answer);
	CHECK(answer.length < sizeof text - 100);
	snprintf(text, sizeof text, "%u %s\n%.*s", answer.status, answer.type, (int)answer.length,
		answer.text);
	return text;
}

static void
begin(void)
{
	view = view_of_a_healthy_node();
	CHECK_INT(answers_init(&answers, 1767323045 * S), 0);
}

static void
healthy(void)
{
	begin();
	CHECK_STR(answer_to("/healthz"), "200 text/plain; charset=utf-8\nok\n");
	CHECK_STR(answer_to("/readyz"), "200 text/plain; charset=utf-8\nok\n");
	answers_fini(&answers);
}

static void
unhealthy(void)
{
	begin();
	view.stages[STAGE_EMIT].condition = STAGE_DOWN;
	view.stages[STAGE_EMIT].reason = "exited with 71";
	CHECK_STR(answer_to("/healthz"), "503 text/plain; charset=utf-8\n"
					 "stage emit is down: exited with 71\n");
	CHECK_STR(answer_to("/readyz"), "200 text/plain; charset=utf-8\nok\n");
	view.last_scan_ns = 0;
	CHECK_STR(answer_to("/readyz"),
		"503 text/plain; charset=utf-8\nno scan has been evaluated yet\n");
	answers_fini(&answers);
}

static void
metrics(void)
{
	struct metrics_page page;
	static const struct metrics_family state = {
		"nic_port_state", "The state.", METRICS_GAUGE, METRICS_ROUND};
	begin();
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *ctreval = metrics_open(page.fd);
	metrics_set(metrics_cell(ctreval, &state, NULL, 0), 4);
	view.stages[STAGE_CTREVAL].page = &page;
	const char *text = answer_to("/metrics");
	CHECK_INT(strncmp(text, "200 text/plain; version=0.0.4; charset=utf-8\n# HELP ", 52), 0);
	CHECK_HAS(text, "\nnic_health_monitor_start_time_seconds{node=\"gpu-1\"} 1767323045\n");
	CHECK_HAS(text, "\n# TYPE nic_port_state gauge\nnic_port_state 4\n");
	/* In any state of the service. */
	view.stopping = true;
	view.stages[STAGE_CTREVAL].condition = STAGE_DOWN;
	CHECK_HAS(answer_to("/metrics"), "stage=\"ctreval\"} 0\n");
	metrics_close(ctreval);
	metrics_page_fini(&page);
	answers_fini(&answers);
}

static void
others(void)
{
	static const char *const paths[] = {"", "/metric", "/metrics/", "/metrics2", "//metrics",
		"/HEALTHZ", "/favicon.ico", "*"};
	begin();
	for (size_t i = 0; i < CHECK_COUNT(paths); i++) {
		check_row("%s", paths[i]);
		CHECK_STR(answer_to(paths[i]), "404 text/plain; charset=utf-8\n"
					       "no such page: try /metrics, /healthz or /readyz\n");
	}
	check_row("%s", "");
	CHECK_HAS(answer_to("/"), "200 text/plain; charset=utf-8\nnic-health-monitor ");
	CHECK_HAS(answer_to("/"), "\n/metrics ");
	CHECK_HAS(answer_to("/"), "\n/healthz ");
	CHECK_HAS(answer_to("/"), "\n/readyz ");
	answers_fini(&answers);
}

static void
too_many(void)
{
	struct metrics_page page;
	begin();
	CHECK_INT(metrics_page_init(&page, "test"), 0);
	struct metrics *ctreval = metrics_open(page.fd);
	for (int i = 0; i < 4100; i++) {
		char name[16];
		snprintf(name, sizeof name, "nic_%d", i);
		const struct metrics_family one = {name, "help", METRICS_GAUGE, METRICS_LASTING};
		metrics_set(metrics_cell(ctreval, &one, NULL, 0), 1);
	}
	view.stages[STAGE_CTREVAL].page = &page;
	CHECK_STR(answer_to("/metrics"), "500 text/plain; charset=utf-8\n"
					 "the metrics cannot be shown: there are too many\n");
	CHECK_STR(answer_to("/healthz"), "200 text/plain; charset=utf-8\nok\n");
	metrics_close(ctreval);
	metrics_page_fini(&page);
	answers_fini(&answers);
}

static const struct check_test tests[] = {
	{"a healthy service answers ok", healthy},
	{"an unhealthy service gives the reason, and readiness is separate", unhealthy},
	{"the metrics are shown whatever the state of the service", metrics},
	{"the index lists the pages, and any other path is 404", others},
	{"too many metrics are a server error of that page alone", too_many},
};
CHECK_MAIN(tests)
