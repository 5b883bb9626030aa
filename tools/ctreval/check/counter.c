/* counter - the counters of a port, and when their growth is an event (spec#counter-steps). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "counter.h"

#include "clear.h"
#include "counterexplain.h"
#include "flap.h"
#include "portevent.h"
#include "portfacts.h"
#include "saturation.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- state machine --- */

/* Measure the growth since the snapshot. */
static struct counter_finding
measure(const struct counter_def *def, const struct counter_sample *snapshot,
	const struct counter_sample *now)
{
	uint64_t delta = now->value - snapshot->value;
	uint64_t elapsed_ns = now->boottime_ns > snapshot->boottime_ns
				      ? now->boottime_ns - snapshot->boottime_ns
				      : 0;
	double units = (double)elapsed_ns / (double)counter_unit_ns(watched_rate_unit(def));
	double rate = elapsed_ns > 0 ? (double)delta / units : 0;
	return (struct counter_finding){
		.verdict = COUNTER_QUIET,
		.why = COUNTER_WITHIN,
		.snapshot = *snapshot,
		.elapsed_ns = elapsed_ns,
		.delta = delta,
		.rate = rate,
	};
}

static struct counter_finding
step_delta(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding finding = measure(def, &memory->snapshot, now);
	if ((double)finding.delta > def->threshold) {
		finding.verdict = COUNTER_BREACH;
		finding.why = COUNTER_EXCEEDED;
	}
	memory->snapshot = *now;
	return finding;
}

/* Decide at the end of the window and do not extrapolate: 3 errors in the first second are not
 * 10800 in an hour. With early_breach, growth that exceeds the threshold of a whole window decides
 * at once. */
static struct counter_finding
step_velocity(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding finding = measure(def, &memory->snapshot, now);

	if (finding.elapsed_ns >= counter_unit_ns(def->unit)) {
		if (finding.rate > def->threshold)
			finding.why = COUNTER_EXCEEDED;
	} else {
		finding.why = def->early_breach && (double)finding.delta > def->threshold
				      ? COUNTER_EXCEEDED_EARLY
				      : COUNTER_WINDOW_OPEN;
	}
	if (finding.why == COUNTER_EXCEEDED || finding.why == COUNTER_EXCEEDED_EARLY)
		finding.verdict = COUNTER_BREACH;
	if (finding.why != COUNTER_WINDOW_OPEN)
		memory->snapshot = *now;
	return finding;
}

bool
counter_last(const struct counter_memory *memory, uint64_t *out)
{
	/* Prefer the last scan's value; after a restart there is only the snapshot. */
	*out = memory->has_previous ? memory->previous : memory->snapshot.value;
	return memory->seen;
}

bool
counter_is_reset(const struct counter_memory *memory, uint64_t value)
{
	uint64_t last;
	return counter_last(memory, &last) && value < last;
}

struct counter_finding
counter_step(const struct counter_def *def, struct counter_memory *memory,
	const struct counter_sample *now)
{
	struct counter_finding quiet = {.verdict = COUNTER_QUIET, .snapshot = memory->snapshot};
	bool first = !memory->seen;
	bool reset = counter_is_reset(memory, now->value);

	memory->seen = true;
	memory->has_previous = true;
	memory->previous = now->value;
	if (first || reset) {
		quiet.why = first ? COUNTER_FIRST_SEEN : COUNTER_WAS_RESET;
		if (reset && memory->breached)
			quiet.verdict = COUNTER_RECOVERY;
		memory->breached = memory->breached && !reset;
		memory->snapshot = *now;
		return quiet;
	}
	if (memory->breached) {
		/* Measure nothing, but keep the snapshot at the last value: it reveals a reset
		 * during a restart. */
		quiet.why = COUNTER_LATCHED;
		memory->snapshot = *now;
		return quiet;
	}
	/* A rate needs elapsed time; a delta does not. */
	if (def->type == COUNTER_VELOCITY && now->boottime_ns <= memory->snapshot.boottime_ns) {
		quiet.why = COUNTER_TIME_STOOD;
		if (now->boottime_ns < memory->snapshot.boottime_ns)
			memory->snapshot = *now;
		return quiet;
	}
	struct counter_finding finding = def->type == COUNTER_DELTA
						 ? step_delta(def, memory, now)
						 : step_velocity(def, memory, now);
	memory->breached = finding.verdict == COUNTER_BREACH;
	return finding;
}

void
counter_restart(struct counter_memory *memory, const struct counter_sample *now)
{
	memory->seen = memory->has_previous = true;
	memory->previous = now->value;
	memory->snapshot = *now;
}

struct counter_finding
counter_clear(struct counter_memory *memory, const struct counter_sample *now)
{
	memory->breached = false;
	counter_restart(memory, now);
	return (struct counter_finding){
		.verdict = COUNTER_RECOVERY, .why = COUNTER_CLEARED, .snapshot = *now};
}

void
counter_watch(struct counter_memory *memory, const struct counter_sample *now)
{
	bool reset = counter_is_reset(memory, now->value);
	/* Leave the memory as it is: counter_step() must find the reset that ends the breach. */
	if (reset && memory->breached)
		return;
	if (!memory->seen || reset || memory->breached)
		memory->snapshot = *now;
	memory->seen = true;
	memory->has_previous = true;
	memory->previous = now->value;
}

/* --- events --- */

/* Growth after a fatal breach is no new event, but readers of open conditions want to see it:
 * update the event's metadata. Not for velocity counters, which grow all the time. */
static void
tell_growth(struct evaluation *evaluation, const struct counter_reading *reading)
{
	struct breach *breach = &reading->memory->breach;
	uint64_t value = reading->now.value;

	if (!reading->memory->breached || !breach->has_value || *breach->id == '\0' ||
		!breach->fatal || reading->def->type != COUNTER_DELTA || value == breach->told ||
		value < breach->began_at)
		return;
	breach->told = value;
	evaluation->state->changed = true;
	json_t *record = json_pack("{s:s, s:i, s:s, s:s, s:I, s:{s:o, s:o}}", "kind", "update", "v",
		1, "event", breach->id, "ts", reading->port->record.ts, "boottime_ns",
		(json_int_t)reading->now.boottime_ns, "metadata", "value",
		json_sprintf("%" PRIu64, value), "grown",
		json_sprintf("%" PRIu64, value - breach->began_at));
	if (record == NULL || json_array_append_new(evaluation->result->decisions, record) < 0)
		evaluation->failed = true;
}

static const json_t *
report_breach(struct evaluation *evaluation, const struct counter_reading *reading,
	const struct counter_finding *finding)
{
	const struct scanrec_port *record = &reading->port->record;
	const struct counter_def *def = reading->def;
	struct breach *breach = &reading->memory->breach;
	enum check check = watched_check(evaluation->setting, def, reading->layer);

	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, check);
	claim.fatal = def->fatal;
	claim.error_code = def->name;
	const json_t *said = evaluation_report(evaluation, &claim,
		"Port %s port %" PRId64 ": %s - %s (value=%" PRIu64 ", delta=%" PRIu64
		", rate=%.2f/%s)",
		record->device, record->port, def->name, def->description, reading->now.value,
		finding->delta, finding->rate, counter_unit_name(watched_rate_unit(def)));
	if (said == NULL)
		return NULL;

	if (json_array_append(evaluation->result->breaches, (json_t *)said) < 0)
		evaluation->failed = true;
	const char *message = NULL;
	rec_get_string(said, "message", &message);
	free(breach->message);
	*breach = (struct breach){.check = check,
		.fatal = def->fatal,
		.message = message != NULL ? strdup(message) : NULL};
	state_copy(breach->since, sizeof breach->since, record->ts);
	evaluation_set_id(breach->id, said);
	breach->has_value = true;
	breach->began_at = breach->told = reading->now.value;
	return said;
}

/* A report without a code is withdrawn by an event without one, which withdraws every report about
 * the port under that check. Report those that are still open again; a rate when rates are
 * evaluated. */
static void
report_rest_again(struct evaluation *evaluation, const struct scan_port *port, enum check check)
{
	struct port_entry *entry = evaluation_entry(evaluation, port);
	if (entry == NULL)
		return;
	if (check == check_state(entry->layer))
		port_report_again(evaluation, port, entry);
	else if (entry->rate.memory == BELOW_REPORTED)
		entry->rate.memory = BELOW_WAITING;
	counter_report_again(evaluation, entry, check);
	if (check == check_degradation(entry->layer))
		flap_report_again(evaluation, entry);
}

/* `clear`: the operator's request; NULL: the counter was reset. */
static const json_t *
report_recovery(struct evaluation *evaluation, const struct counter_reading *reading,
	const struct silence *clear)
{
	const struct scanrec_port *record = &reading->port->record;
	const struct breach breach = reading->memory->breach;

	free(breach.message);
	reading->memory->breach.message = NULL;
	if (!evaluation->setting->enabled[breach.check])
		return NULL;
	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, breach.check);
	claim.healthy = true;
	claim.error_code = breach.uncoded ? "" : reading->def->name;
	const json_t *said;
	if (clear != NULL) {
		claim.cleared_by = clear->by;
		claim.clear_why = clear->why;
		said = evaluation_report(evaluation, &claim,
			"Counter %s cleared on port %s port %" PRId64 " at %" PRIu64 " by %s: %s",
			reading->def->name, record->device, record->port, reading->now.value,
			clear->by, clear->why);
	} else {
		said = evaluation_report(evaluation, &claim,
			"Counter %s recovered on port %s port %" PRId64, reading->def->name,
			record->device, record->port);
	}
	if (breach.uncoded)
		report_rest_again(evaluation, reading->port, breach.check);
	return said;
}

/* --- a port in a scan --- */

#define IN_RELOAD "its device was without its driver, and driverReloadGrace covers growth until now"

static void
eval_value(struct evaluation *evaluation, const struct counter_reading *reading)
{
	const json_t *said = NULL;
	const struct silence *clear = clear_find(evaluation, reading);
	struct counter_finding finding =
		clear != NULL ? counter_clear(reading->memory, &reading->now)
			      : counter_step(reading->def, reading->memory, &reading->now);

	evaluation->state->touched = true;
	if (clear != NULL)
		saturation_clear(evaluation, reading);
	if (finding.verdict == COUNTER_BREACH)
		said = report_breach(evaluation, reading, &finding);
	else if (finding.verdict == COUNTER_RECOVERY)
		said = report_recovery(evaluation, reading, clear);
	else
		tell_growth(evaluation, reading);
	if (finding.verdict != COUNTER_QUIET)
		evaluation->state->changed = true;
	if (evaluation->setting->explain)
		counterexplain_finding(evaluation, reading->port, reading->def, reading->memory,
			&reading->now, &finding, said);
}

/* Return true if the breach's check is enabled, but no longer that of the counter, as after a
 * change of isFatal: no reset would end the breach. */
static bool
is_left_behind(const struct eval_setting *setting, const struct counter_reading *reading)
{
	return reading->memory->breached && setting->enabled[reading->memory->breach.check] &&
	       !watched_counter(setting, reading->def, reading->layer);
}

/* A counter that is not evaluated on this port may have an open report, from an older version, from
 * when the port had another link layer, or from another configuration. Make the report an orphan,
 * which leave_eval() withdraws. */
static void
give_up(struct evaluation *evaluation, const struct counter_reading *reading)
{
	struct counter_memory *memory = reading->memory;
	const struct scanrec_port *record = &reading->port->record;
	struct breach full = {.check = check_degradation(reading->layer)};

	if (!memory->breached && memory->saturation != SATURATION_REPORTED)
		return;
	bool is_of_port = portfacts_has_counter(record, reading->def);
	bool breached =
		memory->breached && (!is_of_port || is_left_behind(evaluation->setting, reading));
	bool saturated = memory->saturation == SATURATION_REPORTED && !is_of_port;
	if ((breached && state_add_orphan(evaluation->state, record->device, record->port,
				 reading->def->name, false, &memory->breach) < 0) ||
		(saturated && state_add_orphan(evaluation->state, record->device, record->port,
				      reading->def->name, true, &full) < 0))
		evaluation->failed = true;
	memory->breached &= !breached;
	if (saturated)
		memory->saturation = SATURATION_NONE;
	evaluation->state->changed |= breached || saturated;
}

/* Evaluate a counter of the port, or record it while the first verdicts are deferred. */
static void
eval_counter(struct evaluation *evaluation, struct counter_reading *reading)
{
	const struct eval_setting *setting = evaluation->setting;
	const struct scan_port *port = reading->port;

	give_up(evaluation, reading);
	if (!counter_is_of(reading->def, port->record.vendor))
		return;
	/* A breach stays as it is while the check that must withdraw it is disabled. */
	bool watched =
		watched_counter(setting, reading->def, reading->layer) &&
		(!reading->memory->breached || setting->enabled[reading->memory->breach.check]);
	/* Which counters exist differs between generations of cards. A value that is no number
	 * counts as missing. */
	bool is_off = !watched && reading->memory->seen && !reading->memory->breached;
	bool wanted = watched || is_off || reading->memory->saturation == SATURATION_REPORTED;
	bool is_there = wanted && rec_u64(portfacts_counter(&port->record, reading->def),
					  &reading->now.value) == REC_OK;
	/* Saturations do not belong to the check of fatal breaches. */
	if (is_there)
		saturation_eval(evaluation, reading);
	if (is_there && is_off) {
		/* What it counts while its check is off is no fault when the check is on again. */
		counter_restart(reading->memory, &reading->now);
		evaluation->state->touched = true;
	}
	if (!watched || !is_there) {
		if (setting->explain)
			counterexplain_none(evaluation, port, reading->def, watched);
		return;
	}
	if (evaluation->waiting) {
		/* While links come up after a boot, counters may grow without a fault. */
		if (!evaluation->booting)
			counter_watch(reading->memory, &reading->now);
		counterexplain_event(
			evaluation, port, reading->def, NULL, evaluation_why_waiting(evaluation));
	} else if (reading->in_grace && !reading->memory->breached) {
		/* A driver that is unloaded takes the link down, which link_downed counts. */
		counter_restart(reading->memory, &reading->now);
		evaluation->state->touched = true;
		counterexplain_event(evaluation, port, reading->def, NULL, IN_RELOAD);
	} else {
		eval_value(evaluation, reading);
	}
}

void
counter_eval(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct counter_list *counters = evaluation->setting->counters;
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);

	for (size_t i = 0; i < counters->count; i++) {
		struct counter_reading reading = {
			.port = port,
			.def = &counters->items[i],
			.memory = &entry->counters[i],
			.now.boottime_ns = port->record.boottime_ns,
			.layer = entry->layer,
			.in_grace = device != NULL && device->was_in_grace,
		};
		eval_counter(evaluation, &reading);
	}
}

/* --- repeated reports --- */

/* Keep the old message but for the port's name, which may have changed. */
static void
report_breach_again(struct evaluation *evaluation, const struct port_entry *entry,
	const struct counter_def *def, struct breach *breach)
{
	const char *rest = breach->message != NULL ? strstr(breach->message, ": ") : NULL;
	struct claim claim =
		evaluation_about(evaluation, breach->check, entry->device, entry->number);
	char *text = rest != NULL
			     ? evaluation_text_new(evaluation, "Port %s port %lld%s", entry->device,
				       entry->number, rest)
			     : evaluation_text_new(evaluation, "Port %s port %lld: %s - %s",
				       entry->device, entry->number, def->name, def->description);
	if (text == NULL)
		return;
	claim.fatal = breach->fatal;
	claim.error_code = def->name;
	evaluation_set_id(breach->id, evaluation_report(evaluation, &claim, "%s", text));
	free(breach->message);
	breach->message = text;
	breach->uncoded = false;
}

/* Return true if the scan's port is of the entry's device, and not of another one that has its
 * name now. */
static bool
is_of_device(const struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry)
{
	const struct device_entry *device = state_find_device(evaluation->state, entry->device);
	return device == NULL ||
	       !evaluation_is_other(device, &evaluation->scan->devices[port->device].record);
}

/* Return the port in this scan, or NULL if it is absent or not watched. */
static const struct scan_port *
find_watched(const struct evaluation *evaluation, const struct port_entry *entry)
{
	const struct scan *scan = evaluation->scan;

	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (port->record.port == entry->number &&
			strcmp(port->record.device, entry->device) == 0)
			return watched_port(scan, port) && is_of_device(evaluation, port, entry)
				       ? port
				       : NULL;
	}
	return NULL;
}

/* Return true if this scan itself withdraws the counter's report, because the counter was reset. A
 * counter that is not watched withdraws nothing, and no counter does while verdicts wait. */
static bool
ends_now(const struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct port_entry *entry,
	const struct counter_memory *memory)
{
	uint64_t value;
	return !evaluation->waiting && port != NULL &&
	       watched_counter(evaluation->setting, def, entry->layer) &&
	       rec_u64(portfacts_counter(&port->record, def), &value) == REC_OK &&
	       counter_is_reset(memory, value);
}

void
counter_report_again(struct evaluation *evaluation, struct port_entry *entry, enum check check)
{
	const struct counter_list *counters = evaluation->setting->counters;
	const bool *enabled = evaluation->setting->enabled;
	enum check degradation = check_degradation(entry->layer);
	const struct scan_port *port = find_watched(evaluation, entry);

	for (size_t i = 0; i < counters->count; i++) {
		struct counter_memory *memory = &entry->counters[i];
		if (ends_now(evaluation, port, &counters->items[i], entry, memory))
			continue;
		if (memory->saturation == SATURATION_REPORTED && enabled[degradation] &&
			(check == CHECK_N || check == degradation))
			saturation_report_again(evaluation, entry, &counters->items[i]);
		if (memory->breached && enabled[memory->breach.check] &&
			(check == CHECK_N || check == memory->breach.check))
			report_breach_again(
				evaluation, entry, &counters->items[i], &memory->breach);
	}
}

/* --- the baseline --- */

/* A counter that can count may be in breach by now. For receivers the healthy event answers that
 * breach, too, so report it again. */
static void
baseline_saturations(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct counter_list *counters = evaluation->setting->counters;

	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_def *def = &counters->items[i];
		struct counter_memory *memory = &entry->counters[i];
		if (saturation_baseline(evaluation, port, entry->layer, def) && memory->breached &&
			memory->breach.check == check_degradation(entry->layer))
			report_breach_again(evaluation, entry, def, &memory->breach);
	}
}

void
counter_baseline(struct evaluation *evaluation, const struct scan_port *port, enum check check)
{
	const struct eval_setting *setting = evaluation->setting;
	const struct scanrec_port *record = &port->record;
	struct port_entry *entry = state_find_port(evaluation->state, record->device, record->port);
	enum layer layer = entry != NULL ? entry->layer : LAYER_INFINIBAND;
	/* Only a counter at 0 certainly has no open report. */
	bool unknown_past = evaluation->state->unknown_past;
	uint64_t value;

	for (size_t i = 0; i < setting->counters->count && entry != NULL; i++) {
		const struct counter_def *def = &setting->counters->items[i];
		/* By the time of a late baseline the counter may be in breach. */
		if (entry->counters[i].breached || !watched_counter(setting, def, layer) ||
			watched_check(setting, def, layer) != check ||
			rec_u64(portfacts_counter(record, def), &value) != REC_OK ||
			(unknown_past && value > 0))
			continue;
		struct claim claim = evaluation_about_port(evaluation->scan, port, check);
		claim.healthy = true;
		claim.error_code = def->name;
		evaluation_report(evaluation, &claim, "Counter %s %s on port %s port %" PRId64,
			def->name, unknown_past ? "recovered" : "healthy after reboot",
			record->device, record->port);
	}
	if (unknown_past && entry != NULL && check == check_degradation(layer))
		baseline_saturations(evaluation, port, entry);
}
