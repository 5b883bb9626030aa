/* pollstall - whether the node's NICs can be observed (spec#poll-stall). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pollstall.h"

#include "array.h"
#include "checks.h"
#include "num.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Room for two polls and a separator. */
#define TEXT_SIZE 100

/* --- state machine --- */

static bool
is_late(uint64_t in_flight_ms, uint64_t deadline_ns)
{
	return deadline_ns > 0 && in_flight_ms >= deadline_ns / NUM_NS_PER_MS;
}

enum pollstall_action
pollstall_step(
	struct pollstall_memory *memory, const struct pollstall_sight *sight, uint64_t deadline_ns)
{
	const struct pollstall_memory before = *memory;

	if (is_late(sight->state_ms, deadline_ns) || is_late(sight->counter_ms, deadline_ns)) {
		memory->reported = true;
		return before.reported ? POLLSTALL_REPORT_NOTHING : POLLSTALL_REPORT_STALL;
	}
	if (!sight->completed)
		return POLLSTALL_REPORT_NOTHING;
	*memory = (struct pollstall_memory){.reported = false};
	return before.reported || (before.owed && deadline_ns > 0) ? POLLSTALL_REPORT_HEALTHY
								   : POLLSTALL_REPORT_NOTHING;
}

/* --- events --- */

/* Print the polls that are late, in the order of their names. */
static void
print_polls(char text[TEXT_SIZE], const struct pollstall_sight *sight, uint64_t deadline_ns)
{
	const struct {
		const char *name;
		uint64_t ms;
	} polls[] = {{"counter", sight->counter_ms}, {"state", sight->state_ms}};
	size_t used = 0;

	*text = '\0';
	for (size_t i = 0; i < ARRAY_COUNT(polls); i++) {
		if (is_late(polls[i].ms, deadline_ns))
			used += (size_t)snprintf(text + used, TEXT_SIZE - used,
				"%s%s poll in flight for %" PRIu64 "s", used > 0 ? ", " : "",
				polls[i].name, polls[i].ms / 1000);
	}
}

/* Evaluate a sight. Return the event, or NULL. */
static const json_t *
eval_sight(
	struct evaluation *evaluation, const struct pollstall_sight *sight, const char *timestamp)
{
	const struct eval_setting *setting = evaluation->setting;
	struct pollstall_memory *memory = &evaluation->state->pollstall;
	const struct pollstall_memory before = *memory;
	char text[TEXT_SIZE];
	struct claim claim = {.check = CHECKS_POLL_STALL,
		.store_only = setting->poll_stall_store_only,
		.timestamp = timestamp};
	const json_t *said = NULL;

	switch (pollstall_step(memory, sight, setting->poll_stall_deadline_ns)) {
	case POLLSTALL_REPORT_NOTHING:
		break;
	case POLLSTALL_REPORT_STALL:
		print_polls(text, sight, setting->poll_stall_deadline_ns);
		return evaluation_report(
			evaluation, &claim, "NIC state cannot be observed: %s", text);
	case POLLSTALL_REPORT_HEALTHY:
		claim.healthy = true;
		evaluation->in_baseline = !before.reported;
		said = evaluation_report(evaluation, &claim, "NIC polls are completing");
		evaluation->in_baseline = false;
		break;
	}
	if (before.reported != memory->reported || before.owed != memory->owed)
		evaluation->state->changed = true;
	return said;
}

/* --- a scan --- */

static void
look_at_device(struct pollstall_sight *sight, const struct scanrec_device *device)
{
	const bool counts = device->in_flight != NULL && strcmp(device->in_flight, "counter") == 0;
	uint64_t *longest_ms = counts ? &sight->counter_ms : &sight->state_ms;

	if (device->in_flight_ms < 0)
		return;
	sight->completed = false;
	if ((uint64_t)device->in_flight_ms > *longest_ms)
		*longest_ms = (uint64_t)device->in_flight_ms;
}

static const char *
reason_of(const struct pollstall_memory *memory, const struct pollstall_sight *sight)
{
	if (memory->reported)
		return "NIC state cannot be observed, already reported; open until a scan "
		       "completes";
	return sight->completed ? "all reads have completed"
				: "a read is under way, but not for --poll-stall-deadline yet";
}

static void
explain(struct evaluation *evaluation, const struct pollstall_sight *sight, const json_t *said)
{
	if (!evaluation->setting->explain ||
		(said == NULL && sight->state_ms == 0 && sight->counter_ms == 0))
		return;
	json_t *fields = json_pack("{s:I, s:I}", "state_ms", (json_int_t)sight->state_ms,
		"counter_ms", (json_int_t)sight->counter_ms);
	evaluation_explain(
		evaluation, "poll", fields, said, reason_of(&evaluation->state->pollstall, sight));
}

void
pollstall_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	/* Wait for the first verdicts, since the healthy event is part of the baseline, but not
	 * with the end of a stall that was reported: bootGrace may be long. */
	const bool may_end = !evaluation->waiting || evaluation->state->pollstall.reported;
	struct pollstall_sight sight = {.completed = scan->whole && scan->listed && may_end};

	for (size_t i = 0; i < scan->device_count; i++) {
		if (watched_device(&scan->devices[i]))
			look_at_device(&sight, &scan->devices[i].record);
	}
	const json_t *said = eval_sight(evaluation, &sight, scan->begin.ts);
	explain(evaluation, &sight, said);
}

void
pollstall_eval_unfinished(struct evaluation *evaluation, const struct scanrec_stall *unfinished)
{
	const struct pollstall_sight sight = {
		.state_ms = unfinished->in_flight_ms > 0 ? (uint64_t)unfinished->in_flight_ms : 0};
	eval_sight(evaluation, &sight, unfinished->ts);
}

void
pollstall_withdraw(struct evaluation *evaluation)
{
	struct pollstall_memory *memory = &evaluation->state->pollstall;
	const struct claim claim = {.check = CHECKS_POLL_STALL,
		.store_only = evaluation->setting->poll_stall_store_only,
		.healthy = true,
		.timestamp = evaluation->scan->begin.ts};

	if (!memory->reported)
		return;
	/* A stalled scan may have been reported under the new name by now. */
	*memory = (struct pollstall_memory){.owed = true};
	evaluation_report(evaluation, &claim, "The node has another name");
}
