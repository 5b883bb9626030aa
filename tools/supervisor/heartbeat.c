/* heartbeat - the line that says what is being watched, each hour and whenever that changes. */
#include "heartbeat.h"

#include "health.h"
#include "num.h"
#include "textbox.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A port set that is not known, as after a restart of ctreval, is no change. */
static bool
change_is_due(const struct heartbeat *heartbeat, const struct service_view *view)
{
	uint64_t port_set = view->vitals[METRICS_PORT_SET];
	return port_set != 0 && port_set != heartbeat->port_set &&
	       (heartbeat->change_ns == 0 ||
		       view->now_ns - heartbeat->change_ns >= HEARTBEAT_CHANGE_S * NUM_NS_PER_S);
}

bool
heartbeat_due(struct heartbeat *heartbeat, const struct service_view *view)
{
	uint64_t since_ns = heartbeat->last_ns != 0 ? heartbeat->last_ns : view->started_ns;
	if (view->stopping)
		return false;
	if (change_is_due(heartbeat, view)) {
		/* The first scan keeps nothing waiting that happens right behind it. */
		if (heartbeat->port_set != 0)
			heartbeat->change_ns = view->now_ns;
	} else if (view->now_ns - since_ns < HEARTBEAT_PERIOD_S * NUM_NS_PER_S) {
		return false;
	}
	if (view->vitals[METRICS_PORT_SET] != 0)
		heartbeat->port_set = view->vitals[METRICS_PORT_SET];
	heartbeat->last_ns = view->now_ns;
	return true;
}

static const char *
plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* One item of a list that leaves out what is 0. */
static void
add_item(
	struct textbox *line, size_t *items, const char *before, uint64_t count, const char *behind)
{
	if (count == 0)
		return;
	textbox_add(line, "%s%s%" PRIu64 "%s", (*items)++ > 0 ? ", " : "", before, count, behind);
}

static void
add_ports(struct textbox *line, const uint64_t *vitals)
{
	uint64_t found = vitals[METRICS_DEVICES], ports = vitals[METRICS_MONITORED_PORTS];
	uint64_t devices = vitals[METRICS_MONITORED_DEVICES];
	size_t items = 0;
	if (vitals[METRICS_PORT_SET] == 0) {
		textbox_add(line, vitals[METRICS_UNLISTED] != 0 ? "THE DEVICES CANNOT BE LISTED"
								: "no scan was complete yet");
		return;
	}
	if (vitals[METRICS_UNLISTED] != 0)
		textbox_add(line, "THE DEVICES CANNOT BE LISTED, before that: ");
	if (ports == 0) {
		textbox_add(line, "NO PORT IS MONITORED, ");
	} else {
		textbox_add(line, "watching %" PRIu64 " port%s of %" PRIu64 " device%s (", ports,
			plural(ports), devices, plural(devices));
		add_item(line, &items, "compute ", vitals[METRICS_COMPUTE], "");
		add_item(line, &items, "storage ", vitals[METRICS_STORAGE], "");
		add_item(line, &items, "without a role ", vitals[METRICS_NO_ROLE], "");
		textbox_add(line, "), ");
	}
	textbox_add(line, "%" PRIu64 " device%s found", found, plural(found));
}

static void
add_standing(struct textbox *line, const uint64_t *vitals)
{
	size_t items = 0;
	textbox_add(line, "; standing: ");
	add_item(line, &items, "", vitals[METRICS_STANDING_FATAL], " fatal");
	add_item(line, &items, "", vitals[METRICS_STANDING_DEGRADED], " degraded");
	textbox_add(line, items == 0 ? "none" : "");
}

static void
add_restarts(struct textbox *line, const struct service_view *view)
{
	size_t items = 0;
	textbox_add(line, "; restarts: ");
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		char name[32];
		snprintf(name, sizeof name, "%s ", pipeline_plan[id].program);
		add_item(line, &items, name, view->stages[id].restarts, "");
	}
	textbox_add(line, items == 0 ? "none" : "");
}

/* Optional stages that cannot work here. */
static void
add_missing(struct textbox *line, const struct service_view *view)
{
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_view *stage = &view->stages[id];
		if (stage->condition == STAGE_LOST)
			textbox_add(line, "; without %s (%s)", pipeline_plan[id].program,
				stage->reason);
	}
}

void
heartbeat_format(const struct service_view *view, char *out, size_t size)
{
	struct textbox line;
	char reasons[HEALTH_REASON_SIZE];
	textbox_init(&line, out, size);
	if (health_is_live(view, reasons, sizeof reasons)) {
		textbox_add(&line, "healthy: ");
	} else {
		textbox_add(&line, "unhealthy: ");
		char *rest = reasons;
		for (char *reason; (reason = strsep(&rest, "\n")) != NULL && *reason != '\0';)
			textbox_add(&line, "%s; ", reason);
	}
	add_ports(&line, view->vitals);
	add_standing(&line, view->vitals);
	add_restarts(&line, view);
	add_missing(&line, view);
	if (view->config_refused)
		textbox_add(&line, "; the configuration file is not good: another one is in force");
}
