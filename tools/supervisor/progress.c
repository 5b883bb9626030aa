/* progress - finds stages that have ended or make no progress. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include "diag.h"
#include "num.h"

static uint64_t
limit_of(const struct service_options *options, enum stage_id id)
{
	if (id == STAGE_IBSCAN)
		return watch_source_limit_ns(options->interval_ns, options->poll_stall_deadline_ns);
	return watch_limit_ns(options->interval_ns, pipeline_plan[id].is_source);
}

/* Kill a running stage that makes no progress; its end is then handled like any other. */
static void
watch_stage(struct keeper *keeper, enum stage_id id, uint64_t now_ns)
{
	struct stage *stage = &keeper->stages.items[id];
	struct watch_look look;
	if (stage->state != STAGE_RUNNING || stage->ending)
		return;
	if (stage->given_up_at_ns != 0) {
		if (now_ns >= stage->given_up_at_ns)
			keeper_leave_behind(keeper, id);
		return;
	}
	stages_look(&keeper->stages, id, now_ns, &look);
	uint64_t idle_ns = watch_step(&stage->watch, &look, limit_of(keeper->options, id));
	if (idle_ns == 0)
		return;
	diag_warn("stage %s: has made no progress for %llu s: killing it",
		pipeline_plan[id].program, (unsigned long long)(idle_ns / NUM_NS_PER_S));
	stage->stalls++;
	stage->given_up_at_ns = now_ns + KEEPER_KILLED_NS;
	stages_kill(&keeper->stages, STAGE_BIT(id));
}

/* Tell emit until when all writers have written. It holds events back until the writer of a missing
 * earlier one has restarted and written it again, and only the service knows which stages
 * restart. */
static void
publish_writers(const struct keeper *keeper, uint64_t now_ns)
{
	const struct stages *stages = &keeper->stages;
	struct watch_writer looks[STAGE_N];
	size_t count = 0;
	for (enum stage_id id = 0; id < STAGE_N; id++) {
		const struct stage *stage = &stages->items[id];
		if (pipeline_plan[id].out != pipeline_plan[STAGE_EMIT].in)
			continue;
		looks[count++] = (struct watch_writer){
			.returns = stage_is_alive(stage) ||
				   (stage->state == STAGE_ENDED && stage->ending),
			.runs = stage->state == STAGE_RUNNING,
			.started_ns = stage->started_ns,
			.looked_ns = stage->page.bytes != NULL
					     ? metrics_page_vital(&stage->page, METRICS_LOOKED_NS)
					     : 0,
		};
	}
	metrics_page_tell(&stages->items[STAGE_EMIT].page, METRICS_WRITERS_NS,
		watch_writers_looked_ns(looks, count, now_ns));
}

/* Reap stages without an event: epoll_ctl() may have failed for lack of memory. */
static void
find_ends(struct keeper *keeper)
{
	for (enum stage_id id = 0; id < STAGE_N; id++)
		keeper_accept_end(keeper, id);
	keeper_accept_check(keeper);
}

void
progress_watch(struct keeper *keeper, uint64_t now_ns)
{
	find_ends(keeper);
	stages_reap(&keeper->stages, keeper->phase == KEEPER_CHECKING ? keeper->check.pid : 0);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		watch_stage(keeper, id, now_ns);
	publish_writers(keeper, now_ns);
}
