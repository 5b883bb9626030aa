/* self - the numbers of the service itself, in a page like those of its stages. */
#include "self.h"

#include "num.h"
#include "version.h"

#include <errno.h>

#define NAME(name) "nic_health_monitor_" name

static const struct metrics_family build_info = {
	NAME("build_info"), "The version that runs.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family start_time = {NAME("start_time_seconds"),
	"When the service began, in seconds since 1970.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family scan_age = {NAME("last_evaluated_scan_age_seconds"),
	"How long ago a scan was last evaluated.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family stage_up = {
	NAME("stage_up"), "1 while the stage runs.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family stage_restarts = {NAME("stage_restarts_total"),
	"Starts of the stage after an end that nobody asked for.", METRICS_COUNTER, METRICS_ROUND};
static const struct metrics_family stage_stalls = {NAME("stage_stalls_total"),
	"Of these, the ones of a stage that ran and got on no more.", METRICS_COUNTER,
	METRICS_ROUND};
static const struct metrics_family series_dropped = {NAME("metrics_series_dropped"),
	"Series of the stage that there was no room for.", METRICS_GAUGE, METRICS_ROUND};
static const struct metrics_family config_reloads = {NAME("config_reloads_total"),
	"Times that the configuration was to be read again, by what came of it.", METRICS_COUNTER,
	METRICS_ROUND};
static const struct metrics_family config_in_force = {NAME("config_in_force"),
	"0 when the configuration on disk was refused and an older one is in force.", METRICS_GAUGE,
	METRICS_ROUND};

int
self_init(struct self *self, uint64_t started_realtime_ns)
{
	*self = (struct self){.started_realtime_ns = started_realtime_ns};
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
self_fini(struct self *self)
{
	metrics_close(self->metrics);
	self->metrics = NULL;
	metrics_page_fini(&self->page);
}

/* The series of a family that has one label, NULL for none. */
static struct metrics_cell *
cell(struct self *self, const struct metrics_family *family, const char *key, const char *value)
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
take_stage(struct self *self, const char *name, const struct stage_view *stage)
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
self_take(struct self *self, const struct service_view *view)
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
		take_stage(self, pipeline_plan[id].program, &view->stages[id]);
	metrics_set(cell(self, &config_reloads, "result", "taken"), view->reloads);
	metrics_set(cell(self, &config_reloads, "result", "refused"), view->refused_reloads);
	metrics_set(cell(self, &config_in_force, NULL, NULL), !view->config_refused);
	metrics_end(self->metrics);
}
