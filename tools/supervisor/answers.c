/* answers - the HTTP pages: /metrics, /healthz, /readyz, index. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "answers.h"

#include "health.h"
#include "metrics.h"
#include "num.h"
#include "scrape.h"
#include "strbuf.h"
#include "version.h"

#include <errno.h>
#include <string.h>

/* --- the service's own metrics --- */

#define NAME(name) "nic_health_monitor_" name

static const struct metrics_family build_info = {
	NAME("build_info"), "The running version.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family start_time = {NAME("start_time_seconds"),
	"When the service started, in seconds since 1970.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family scan_age = {NAME("last_evaluated_scan_age_seconds"),
	"Time since the last scan was evaluated.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family stage_up = {
	NAME("stage_up"), "1 while the stage runs.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family stage_restarts = {NAME("stage_restarts_total"),
	"Restarts of the stage after an unexpected exit.", METRICS_COUNTER, METRICS_ROUND};
static const struct metrics_family stage_stalls = {NAME("stage_stalls_total"),
	"Restarts of the stage because it made no progress.", METRICS_COUNTER, METRICS_ROUND};
static const struct metrics_family series_dropped = {NAME("metrics_series_dropped"),
	"Series of the stage that were dropped because there are too many.", METRICS_GAUGE,
	METRICS_ROUND};
static const struct metrics_family config_reloads = {NAME("config_reloads_total"),
	"Reloads of the configuration, by result.", METRICS_COUNTER, METRICS_ROUND};
static const struct metrics_family config_in_force = {NAME("config_in_force"),
	"0 when the configuration on disk was rejected and an older one is in effect.",
	METRICS_GAUGE, METRICS_ROUND};

int
answers_init_self(struct answers_self *self, uint64_t started_realtime_ns)
{
	*self = (struct answers_self){.started_realtime_ns = started_realtime_ns};
	if (metrics_page_init(&self->page, "nic-health-monitor") < 0)
		return -1;
	self->metrics = metrics_open(self->page.fd);
	if (self->metrics != NULL)
		return 0;
	int saved_errno = errno;
	metrics_page_fini(&self->page);
	errno = saved_errno;
	return -1;
}

void
answers_fini_self(struct answers_self *self)
{
	metrics_close(self->metrics);
	self->metrics = NULL;
	metrics_page_fini(&self->page);
}

/* Return the series of a family with one label, or with none if `key` is NULL. */
static struct metrics_cell *
cell(struct answers_self *self, const struct metrics_family *family, const char *key,
	const char *value)
{
	const struct metrics_label label = {key, value};
	return metrics_cell(self->metrics, family, &label, key != NULL ? 1 : 0);
}

static double
seconds(uint64_t ns)
{
	uint64_t ms = ns / NUM_NS_PER_MS;
	return (double)ms / 1000;
}

static void
set_stage(struct answers_self *self, const char *name, const struct stage_view *stage)
{
	if (stage->condition == STAGE_UNWANTED)
		return;
	metrics_set(cell(self, &stage_up, "stage", name), stage->condition == STAGE_UP);
	metrics_set(cell(self, &stage_restarts, "stage", name), stage->restarts);
	metrics_set(cell(self, &stage_stalls, "stage", name), stage->stalls);
	if (stage->page != NULL)
		metrics_set(cell(self, &series_dropped, "stage", name),
			metrics_page_dropped(stage->page));
}

void
answers_update_self(struct answers_self *self, const struct service_view *view)
{
	metrics_begin(self->metrics);
	metrics_set(cell(self, &build_info, "version", NHM_VERSION), 1);
	metrics_set_real(cell(self, &start_time, NULL, NULL), seconds(self->started_realtime_ns));
	if (view->last_scan_ns != 0)
		metrics_set_real(cell(self, &scan_age, NULL, NULL),
			view->now_ns > view->last_scan_ns
				? seconds(view->now_ns - view->last_scan_ns)
				: 0);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		set_stage(self, pipeline_plan[id].program, &view->stages[id]);
	metrics_set(cell(self, &config_reloads, "result", "taken"), view->reloads);
	metrics_set(cell(self, &config_reloads, "result", "refused"), view->refused_reloads);
	metrics_set(cell(self, &config_in_force, NULL, NULL), !view->config_refused);
	metrics_end(self->metrics);
}

/* --- responses --- */

#define PLAIN "text/plain; charset=utf-8"

int
answers_init(struct answers *answers, uint64_t started_realtime_ns)
{
	*answers = (struct answers){.scrape = scrape_new()};
	if (answers->scrape == NULL)
		return -1;
	if (answers_init_self(&answers->self, started_realtime_ns) == 0)
		return 0;
	scrape_free(answers->scrape);
	answers->scrape = NULL;
	return -1;
}

void
answers_fini(struct answers *answers)
{
	scrape_free(answers->scrape);
	answers->scrape = NULL;
	answers_fini_self(&answers->self);
}

/* Respond with answers->text. */
static void
answer_with_text(struct answers *answers, unsigned status, struct httpd_answer *out)
{
	*out = (struct httpd_answer){
		.status = status,
		.type = PLAIN,
		.text = answers->text,
		.length = strlen(answers->text),
	};
}

static void
give_metrics(struct answers *answers, const struct service_view *view, struct httpd_answer *out)
{
	struct strbuf text;
	answers_update_self(&answers->self, view);
	*out = (struct httpd_answer){.status = 200, .type = SCRAPE_TYPE};
	out->text = scrape_text(answers->scrape, view, &answers->self.page, &out->length);
	if (out->text != NULL)
		return;
	strbuf_init(&text, answers->text, sizeof answers->text);
	strbuf_addf(&text, "the metrics cannot be shown: %s\n",
		errno == EFBIG ? "there are too many" : strerror(errno));
	answer_with_text(answers, 500, out);
}

static void
give_health(struct answers *answers, bool is_good, struct httpd_answer *out)
{
	if (is_good)
		strcpy(answers->text, "ok\n");
	answer_with_text(answers, is_good ? 200 : 503, out);
}

static void
give_index(struct answers *answers, struct httpd_answer *out)
{
	struct strbuf text;
	strbuf_init(&text, answers->text, sizeof answers->text);
	strbuf_addf(&text,
		"nic-health-monitor " NHM_VERSION "\n\n"
		"/metrics  metrics of the NICs and of the service, for Prometheus\n"
		"/healthz  200 while every stage is up and scans are evaluated, else 503 and "
		"why not\n"
		"/readyz   200 once a scan has been evaluated, else 503 and why not\n");
	answer_with_text(answers, 200, out);
}

void
answers_give(struct answers *answers, const struct service_view *view, const char *path,
	struct httpd_answer *out)
{
	char *text = answers->text;
	if (strcmp(path, "/metrics") == 0) {
		give_metrics(answers, view, out);
	} else if (strcmp(path, "/healthz") == 0) {
		give_health(answers, health_is_live(view, text, sizeof answers->text), out);
	} else if (strcmp(path, "/readyz") == 0) {
		give_health(answers, health_is_ready(view, text, sizeof answers->text), out);
	} else if (strcmp(path, "/") == 0) {
		give_index(answers, out);
	} else {
		strcpy(text, "no such page: try /metrics, /healthz or /readyz\n");
		answer_with_text(answers, 404, out);
	}
}
