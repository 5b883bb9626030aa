/* numbers - what ctreval hands up about itself and what it sees, in a page of numbers. */
#include "numbers.h"

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
	metrics_tick(metrics);
}
