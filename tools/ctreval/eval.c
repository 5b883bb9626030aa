/* eval - one scan judged: what is done in which order. */
#include "eval.h"

#include "cardcheck.h"
#include "countercheck.h"
#include "devicecheck.h"
#include "leave.h"
#include "observe.h"
#include "portcheck.h"
#include "ratecheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a new boot --- */

/* An unknown boot id is no evidence of another boot. */
static void
eval_boot(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const char *boot_id = evaluation->scan->begin.boot_id;

	if (boot_id == NULL || strcmp(boot_id, state->boot_id) == 0)
		return;
	if (*state->boot_id != '\0') {
		evaluation_note(evaluation, "the node has rebooted",
			"what was remembered of it is dropped");
		state_forget_boot(state);
		state->baseline_owed = evaluation->setting->baselines;
	}
	state_copy(state->boot_id, sizeof state->boot_id, boot_id);
	state->changed = true;
}

/* Wall time as the original's file has it, as boot time: as long ago as it was by the wall clock, at most since the boot. */
static void
place_snapshots(struct state *state, const struct scanrec_begin *begin)
{
	uint64_t now_wall_ns;
	bool known = clock_parse(begin->ts, &now_wall_ns);

	for (struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		struct port_entry *port = (struct port_entry *)node;
		for (size_t i = 0; i < port->counter_count; i++) {
			struct counter_memory *memory = &port->counters[i];
			uint64_t wall_ns = memory->snapshot.boottime_ns;
			if (!memory->wall)
				continue;
			uint64_t ago_ns =
				known && now_wall_ns > wall_ns ? now_wall_ns - wall_ns : 0;
			memory->snapshot.boottime_ns =
				begin->boottime_ns -
				(ago_ns < begin->boottime_ns ? ago_ns : begin->boottime_ns);
			memory->wall = false;
		}
	}
	state->has_wall_snapshots = false;
}

/* The first scan's verdicts, and a baseline, are due in a scan in which everything was read, or when enough scans were waited for one. A node
 * whose devices cannot be listed has nothing to give them about. */
static void
eval_first(struct evaluation *evaluation)
{
	struct state *state = evaluation->state;
	const struct scan *scan = evaluation->scan;

	if (state->settled)
		return;
	if (scan->listed || !scan->whole)
		state->waited++;
	evaluation->first =
		(scan->whole && scan->complete && scan->listed) || state->waited >= EVAL_WAIT_SCANS;
	evaluation->waiting = !evaluation->first;
	state->changed = true;
}

/* --- the baseline --- */

/* Before everything else of this scan, for it clears what was said before. */
static void
say_clear(struct evaluation *evaluation, enum check check)
{
	char stamp[CLOCK_STAMP_SIZE];
	const char *begin = evaluation->scan->begin.ts;
	uint64_t begin_ns;
	char *text = evaluation_text_new(evaluation,
		"Baseline reset: earlier conditions of %s on this node are cleared",
		check_name(check));
	if (text == NULL)
		return;
	bool known = clock_parse(begin, &begin_ns) && begin_ns >= 1000;
	if (known)
		clock_format(begin_ns - 1000, stamp);
	struct claim claim = {
		.check = check_name(check),
		.healthy = true,
		.message = text,
		.timestamp = known ? stamp : begin,
	};
	evaluation_say(evaluation, &claim);
	free(text);
}

/* What a device that cannot be read in full still shows waits until it can. */
static bool
has_baseline(const struct scan *scan, const struct scan_port *port)
{
	return evaluation_is_judged(scan, port) && scan->devices[port->device].record.error == NULL;
}

static void
eval_baseline(struct evaluation *evaluation, const struct card_list *cards, enum check check)
{
	const struct scan *scan = evaluation->scan;

	if (evaluation->setting->clear_check)
		say_clear(evaluation, check);
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		struct port_entry *entry =
			state_find_port(evaluation->state, port->record.device, port->record.port);
		if (entry != NULL && has_baseline(scan, port) &&
			check_state(entry->ethernet) == check &&
			evaluation_is_healthy(&port->record))
			portcheck_say_healthy(evaluation, port, entry);
	}
	cardcheck_baseline(evaluation, cards, check);
	for (size_t i = 0; i < scan->port_count; i++) {
		if (has_baseline(scan, &scan->ports[i]))
			countercheck_baseline(evaluation, &scan->ports[i], check);
	}
}

/* A device that could not be read when the others' baseline was made, and now can, in a scan that has all its ports. */
static void
eval_late_baseline(
	struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry)
{
	enum check state_check = check_state(entry->ethernet);
	/* One that was not healthy before says so by itself. */
	if ((entry->health == PORT_NEW || entry->health == PORT_HEALTHY) &&
		evaluation->setting->enabled[state_check] && evaluation_is_healthy(&port->record))
		portcheck_say_healthy(evaluation, port, entry);
	countercheck_baseline(evaluation, port, state_check);
	countercheck_baseline(evaluation, port, check_degradation(entry->ethernet));
}

/* --- the scan --- */

/* True when the configuration names the device: nothing else is needed to say that it should be healthy. */
static bool
is_pinned(const struct scanrec_device *device)
{
	return device->reason != NULL && strcmp(device->reason, "override") == 0;
}

static void
eval_port_state(struct evaluation *evaluation, const struct scan_port *port)
{
	const struct scanrec_device *device = &evaluation->scan->devices[port->device].record;
	struct port_entry *entry =
		state_find_port(evaluation->state, port->record.device, port->record.port);
	const struct device_entry *owner =
		state_find_device(evaluation->state, port->record.device);
	if (entry == NULL || !evaluation_wants(evaluation, entry->ethernet))
		return;
	if (!evaluation->waiting && evaluation->scan->whole && owner != NULL &&
		owner->baseline_owed && device->error == NULL)
		eval_late_baseline(evaluation, port, entry);
	portcheck_port(evaluation, port, entry,
		is_pinned(device) || cardcheck_is_anomalous(evaluation, entry));
}

static void
eval_port_counters(struct evaluation *evaluation, const struct scan_port *port)
{
	struct port_entry *entry =
		state_find_port(evaluation->state, port->record.device, port->record.port);
	if (entry != NULL)
		countercheck_port(evaluation, port, entry);
}

/* Calls `judge` for each port that is judged. */
static void
each_port(
	struct evaluation *evaluation, void (*judge)(struct evaluation *, const struct scan_port *))
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->port_count && !evaluation->failed; i++) {
		if (evaluation_is_judged(scan, &scan->ports[i]))
			judge(evaluation, &scan->ports[i]);
	}
}

static void
eval_port(struct evaluation *evaluation, const struct scan_port *port)
{
	eval_port_state(evaluation, port);
	eval_port_counters(evaluation, port);
}

/* Each check's baseline and verdicts by themselves, the clearing event first. A card is the evidence about its ports. */
static void
eval_first_verdicts(struct evaluation *evaluation, const struct card_list *cards)
{
	bool owed = evaluation->state->baseline_owed;

	for (enum check check = 0; check < CHECK_N; check++) {
		if (owed && evaluation->setting->enabled[check])
			eval_baseline(evaluation, cards, check);
		evaluation->only = check;
		devicecheck_judge(evaluation);
		cardcheck_judge(evaluation, cards);
		each_port(evaluation, eval_port_state);
		ratecheck_judge(evaluation);
	}
	evaluation->only = CHECK_N;
	each_port(evaluation, eval_port_counters);

	if (owed)
		observe_owe_baselines(evaluation);
	evaluation->state->settled = true;
	evaluation->state->baseline_owed = false;
}

/* A card comes after its ports: events of their own may make one of the card superfluous. */
static void
eval_verdicts(struct evaluation *evaluation, const struct card_list *cards)
{
	devicecheck_judge(evaluation);
	each_port(evaluation, eval_port);
	cardcheck_judge(evaluation, cards);
	ratecheck_judge(evaluation);
	if (!evaluation->waiting && evaluation->scan->whole)
		observe_settle_baselines(evaluation);
}

int
eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result)
{
	struct evaluation evaluation = {.setting = setting,
		.state = state,
		.stream = stream,
		.scan = scan,
		.result = result,
		.only = CHECK_N};
	struct card_list cards;

	*result = (struct eval_result){.events = json_array(),
		.notes = json_array(),
		.decisions = json_array(),
		.breaches = json_array()};
	eval_boot(&evaluation);
	if (state->has_wall_snapshots)
		place_snapshots(state, &scan->begin);
	state->stamp++;
	eval_first(&evaluation);
	observe_scan(&evaluation);
	cardcheck_collect(&evaluation, &cards);
	if (!evaluation.failed) {
		leave_judge(&evaluation, &cards);
		devicecheck_explain_others(&evaluation);
		if (evaluation.first)
			eval_first_verdicts(&evaluation, &cards);
		else
			eval_verdicts(&evaluation, &cards);
	}
	cardcheck_fini(&cards);
	return evaluation.failed ? -1 : 0;
}

void
eval_result_fini(struct eval_result *result)
{
	json_decref(result->events);
	json_decref(result->notes);
	json_decref(result->decisions);
	json_decref(result->breaches);
	*result = (struct eval_result){0};
}
