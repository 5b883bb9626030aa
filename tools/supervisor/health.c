/* health - whether the service is well, and whether it has begun. */
#include "health.h"

#include "num.h"
#include "textbox.h"

/* False when it has a reason, which need not fit. A stage that has ended for good, and without which the service goes on, is said to be missing elsewhere: whoever
 * restarts the service because of it gains nothing, and loses the NICs meanwhile. */
static bool
stages_are_up(const struct service_view *view, struct textbox *reasons)
{
	bool are_up = true;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage_view *stage = &view->stages[id];
		if (stage->condition != STAGE_DOWN)
			continue;
		are_up = false;
		textbox_add(reasons, "stage %s is down%s%s\n", pipeline_plan[id].program,
			*stage->reason != '\0' ? ": " : "", stage->reason);
	}
	return are_up;
}

static bool
scans_go_on(const struct service_view *view, struct textbox *reasons)
{
	bool first = view->last_scan_ns == 0;
	uint64_t since_ns = first ? view->started_ns : view->last_scan_ns;
	uint64_t least_ns = (first ? HEALTH_FIRST_S : HEALTH_LEAST_S) * NUM_NS_PER_S;
	uint64_t limit_ns = HEALTH_INTERVALS * view->interval_ns;
	/* The moment is another process' word. */
	uint64_t age_ns = view->now_ns > since_ns ? view->now_ns - since_ns : 0;
	if (age_ns <= (limit_ns > least_ns ? limit_ns : least_ns))
		return true;
	textbox_add(reasons, "no scan was evaluated %s %.1f s\n",
		first ? "since the start, for" : "for", (double)age_ns / (double)NUM_NS_PER_S);
	return false;
}

/* Its stages end because they are told to, so that this is the only reason. */
static bool
is_stopping(const struct service_view *view, struct textbox *reasons)
{
	if (view->stopping)
		textbox_add(reasons, "the service is being stopped\n");
	return view->stopping;
}

bool
health_is_live(const struct service_view *view, char *reason, size_t size)
{
	struct textbox reasons;
	textbox_init(&reasons, reason, size);
	if (is_stopping(view, &reasons))
		return false;
	bool are_up = stages_are_up(view, &reasons);
	return scans_go_on(view, &reasons) && are_up;
}

bool
health_is_ready(const struct service_view *view, char *reason, size_t size)
{
	struct textbox reasons;
	textbox_init(&reasons, reason, size);
	if (is_stopping(view, &reasons))
		return false;
	if (view->last_scan_ns == 0)
		textbox_add(&reasons, "no scan has been evaluated yet\n");
	return view->last_scan_ns != 0;
}
