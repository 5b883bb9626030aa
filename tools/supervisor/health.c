/* health - computes /healthz, /readyz and the heartbeat line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "health.h"

#include "num.h"
#include "strbuf.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Return false and add a reason for each required stage that is down; the text may be truncated.
 * Optional stages do not count: restarting the service for one would gain nothing, and leave the
 * NICs unmonitored meanwhile. */
static bool
stages_are_up(const struct service_view *view, struct strbuf *reasons)
{
	bool are_up = true;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_view *stage = &view->stages[id];
		if (stage->condition != STAGE_DOWN || pipeline_plan[id].optional)
			continue;
		are_up = false;
		strbuf_addf(reasons, "stage %s is down%s%s\n", pipeline_plan[id].program,
			*stage->reason != '\0' ? ": " : "", stage->reason);
	}
	return are_up;
}

/* Return the time since `since_ns`, which another process wrote: it may be in the future. */
static uint64_t
elapsed_ns(const struct service_view *view, uint64_t since_ns)
{
	return view->now_ns > since_ns ? view->now_ns - since_ns : 0;
}

static bool
has_recent_scan(const struct service_view *view, struct strbuf *reasons)
{
	bool first = view->last_scan_ns == 0;
	uint64_t since_ns = first ? view->started_ns : view->last_scan_ns;
	uint64_t least_ns = (first ? HEALTH_FIRST_S : HEALTH_LEAST_S) * NUM_NS_PER_S;
	uint64_t limit_ns = HEALTH_INTERVALS * view->interval_ns;
	uint64_t age_ns = elapsed_ns(view, since_ns);
	if (age_ns <= (limit_ns > least_ns ? limit_ns : least_ns))
		return true;
	strbuf_addf(reasons, "no scan was evaluated %s %.1f s\n",
		first ? "since the start, for" : "for", (double)age_ns / (double)NUM_NS_PER_S);
	return false;
}

/* While the spool hangs, events are delivered from memory, and lost if emit and the writers' state
 * are lost. */
static bool
spool_answers(const struct service_view *view, struct strbuf *reasons)
{
	uint64_t since_ns = view->spool_hangs_since_ns;
	if (since_ns == 0)
		return true;
	uint64_t age_ns = elapsed_ns(view, since_ns);
	strbuf_addf(reasons,
		"the spool's disk has not answered for %.0f s: events are delivered from "
		"memory, and not stored\n",
		(double)age_ns / (double)NUM_NS_PER_S);
	return false;
}

/* While the service is stopping, its stages end on purpose, so this is the only reason. */
static bool
is_stopping(const struct service_view *view, struct strbuf *reasons)
{
	if (view->stopping)
		strbuf_addf(reasons, "the service is being stopped\n");
	return view->stopping;
}

bool
health_is_live(const struct service_view *view, char *reason, size_t size)
{
	struct strbuf reasons;
	strbuf_init(&reasons, reason, size);
	if (is_stopping(view, &reasons))
		return false;
	bool are_up = stages_are_up(view, &reasons);
	bool answers = spool_answers(view, &reasons);
	return has_recent_scan(view, &reasons) && are_up && answers;
}

bool
health_is_ready(const struct service_view *view, char *reason, size_t size)
{
	struct strbuf reasons;
	strbuf_init(&reasons, reason, size);
	if (is_stopping(view, &reasons))
		return false;
	if (view->last_scan_ns == 0)
		strbuf_addf(&reasons, "no scan has been evaluated yet\n");
	return view->last_scan_ns != 0;
}

/* --- the heartbeat --- */

/* An unknown port set, as after a restart of ctreval, is no change. */
static bool
change_is_due(const struct health_heartbeat *heartbeat, const struct service_view *view)
{
	uint64_t port_set = view->vitals[METRICS_PORT_SET];
	return port_set != 0 && port_set != heartbeat->port_set &&
	       (heartbeat->change_ns == 0 || view->now_ns - heartbeat->change_ns >=
						     HEALTH_HEARTBEAT_CHANGE_S * NUM_NS_PER_S);
}

bool
health_heartbeat_due(struct health_heartbeat *heartbeat, const struct service_view *view)
{
	uint64_t since_ns = heartbeat->last_ns != 0 ? heartbeat->last_ns : view->started_ns;
	if (view->stopping)
		return false;
	if (change_is_due(heartbeat, view)) {
		/* The first scan's line does not delay a line about a change right after it. */
		if (heartbeat->port_set != 0)
			heartbeat->change_ns = view->now_ns;
	} else if (view->now_ns - since_ns < HEALTH_HEARTBEAT_PERIOD_S * NUM_NS_PER_S) {
		return false;
	}
	if (view->vitals[METRICS_PORT_SET] != 0)
		heartbeat->port_set = view->vitals[METRICS_PORT_SET];
	heartbeat->last_ns = view->now_ns;
	return true;
}

/* Append an item to a list, unless `count` is 0. */
static void
add_item(struct strbuf *line, size_t *items, const char *before, uint64_t count, const char *behind)
{
	if (count == 0)
		return;
	strbuf_addf(line, "%s%s%" PRIu64 "%s", (*items)++ > 0 ? ", " : "", before, count, behind);
}

static void
add_ports(struct strbuf *line, const uint64_t *vitals)
{
	uint64_t found = vitals[METRICS_DEVICES], ports = vitals[METRICS_MONITORED_PORTS];
	uint64_t devices = vitals[METRICS_MONITORED_DEVICES];
	size_t items = 0;
	if (vitals[METRICS_PORT_SET] == 0) {
		strbuf_addf(line, vitals[METRICS_UNLISTED] != 0 ? "THE DEVICES CANNOT BE LISTED"
								: "no complete scan yet");
		return;
	}
	if (vitals[METRICS_UNLISTED] != 0)
		strbuf_addf(line, "THE DEVICES CANNOT BE LISTED, before that: ");
	if (ports == 0) {
		strbuf_addf(line, "NO PORT IS MONITORED, ");
	} else {
		strbuf_addf(line, "watching %" PRIu64 " port%s of %" PRIu64 " device%s (", ports,
			text_plural(ports), devices, text_plural(devices));
		add_item(line, &items, "compute ", vitals[METRICS_COMPUTE], "");
		add_item(line, &items, "storage ", vitals[METRICS_STORAGE], "");
		add_item(line, &items, "fabric ", vitals[METRICS_FABRIC], "");
		add_item(line, &items, "without a role ", vitals[METRICS_NO_ROLE], "");
		strbuf_addf(line, "), ");
	}
	strbuf_addf(line, "%" PRIu64 " device%s found", found, text_plural(found));
}

static void
add_standing(struct strbuf *line, const struct service_view *view)
{
	size_t items = 0;
	strbuf_addf(line, "; standing: ");
	add_item(line, &items, "", view->standing_fatal, " fatal");
	add_item(line, &items, "", view->standing_degraded, " degraded");
	strbuf_addf(line, items == 0 ? "none" : "");
}

static void
add_restarts(struct strbuf *line, const struct service_view *view)
{
	size_t items = 0;
	strbuf_addf(line, "; restarts: ");
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		char name[32];
		snprintf(name, sizeof name, "%s ", pipeline_plan[id].program);
		add_item(line, &items, name, view->stages[id].restarts, "");
	}
	strbuf_addf(line, items == 0 ? "none" : "");
}

/* Append optional stages that have failed for good or wait for a restart. */
static void
add_missing(struct strbuf *line, const struct service_view *view)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_view *stage = &view->stages[id];
		if (stage->condition == STAGE_LOST ||
			(stage->condition == STAGE_DOWN && pipeline_plan[id].optional))
			strbuf_addf(line, "; without %s (%s)", pipeline_plan[id].program,
				stage->reason);
	}
}

void
health_heartbeat_format(const struct service_view *view, char *out, size_t size)
{
	struct strbuf line;
	char reasons[HEALTH_REASON_SIZE];
	strbuf_init(&line, out, size);
	if (health_is_live(view, reasons, sizeof reasons)) {
		strbuf_addf(&line, "healthy: ");
	} else {
		strbuf_addf(&line, "unhealthy: ");
		char *rest = reasons;
		for (char *reason; (reason = strsep(&rest, "\n")) != NULL && *reason != '\0';)
			strbuf_addf(&line, "%s; ", reason);
	}
	add_ports(&line, view->vitals);
	add_standing(&line, view);
	add_restarts(&line, view);
	add_missing(&line, view);
	if (view->config_refused)
		strbuf_addf(&line,
			"; the configuration file cannot be used: an older one is in effect");
}
