/* numbers - what ctreval hands up about itself and what it sees, in a page of numbers. */
#include "numbers.h"

#include "diag.h"
#include "scanmetrics.h"
#include "tally.h"

/* What is monitored is known when the first scan's verdicts have been given. A scan that lost a record, or could not list the devices, says nothing new about it. */
static void
set_monitored(struct metrics *metrics, const struct scan *scan, const struct state *state)
{
	if (!scan->whole || !scan->listed || !state->settled)
		return;
	struct tally_monitored tally = tally_monitored(state, scan);
	metrics_set_vital(metrics, METRICS_DEVICES, scan->device_count);
	metrics_set_vital(metrics, METRICS_MONITORED_DEVICES, tally.devices);
	metrics_set_vital(metrics, METRICS_MONITORED_PORTS, tally.ports);
	metrics_set_vital(metrics, METRICS_COMPUTE, tally.roles[TALLY_COMPUTE]);
	metrics_set_vital(metrics, METRICS_STORAGE, tally.roles[TALLY_STORAGE]);
	metrics_set_vital(metrics, METRICS_NO_ROLE, tally.roles[TALLY_NO_ROLE]);
	metrics_set_vital(metrics, METRICS_PORT_SET, tally.port_set);
}

/* The devices and ports themselves. Of a scan that has lost a record, as when a stage was started anew, nobody can tell what is gone: what was seen before it is shown
 * for one scan more. When the next one has too, it is shown as it is. */
static void
show_scan(struct numbers *numbers, const struct scan *scan)
{
	bool torn_again = numbers->torn;
	numbers->torn = !scan->whole;
	if (!scan->whole && !torn_again)
		return;
	metrics_begin(numbers->metrics);
	if (scanmetrics_set(scan, numbers->metrics) == 0)
		metrics_end(numbers->metrics);
	else
		diag_warn("scan %lld: out of memory: not shown", (long long)scan->begin.scan);
}

void
numbers_scan(struct numbers *numbers, const struct scan *scan, const struct state *state)
{
	struct metrics *metrics = numbers->metrics;
	if (metrics == NULL)
		return;
	struct tally_standing standing = tally_standing(state);
	metrics_set_vital(metrics, METRICS_STANDING_FATAL, standing.fatal);
	metrics_set_vital(metrics, METRICS_STANDING_DEGRADED, standing.degraded);
	set_monitored(metrics, scan, state);
	show_scan(numbers, scan);
	metrics_tick(metrics);
}
