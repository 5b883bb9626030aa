/* saturation - counters that are stuck at their maximum, and when that is an event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "saturation.h"

#include "counterexplain.h"
#include "portfacts.h"

#include <inttypes.h>
#include <string.h>

enum saturation_verdict
saturation_step(struct counter_memory *memory, uint64_t maximum, uint64_t value)
{
	bool at_maximum = value == maximum;
	enum saturation before = memory->saturation;

	if (!memory->seen)
		memory->saturation = at_maximum ? SATURATION_SUSPECTED : SATURATION_NONE;
	else if (before != SATURATION_NONE)
		memory->saturation = at_maximum ? SATURATION_REPORTED : SATURATION_NONE;
	if (memory->saturation == before || memory->saturation == SATURATION_SUSPECTED)
		return SATURATION_QUIET;
	if (memory->saturation == SATURATION_REPORTED)
		return SATURATION_STANDS;
	return before == SATURATION_REPORTED ? SATURATION_ENDED : SATURATION_QUIET;
}

/* Two counters may read one file (symbol_error and symbol_error_fatal). Report only the one named
 * like the file, or else the first. */
static const struct counter_def *
speaker_of(const struct eval_setting *setting, const struct counter_def *def, enum layer layer)
{
	const struct counter_def *speaker = NULL;
	for (size_t i = 0; i < setting->counters->count; i++) {
		const struct counter_def *other = &setting->counters->items[i];
		if (other->group != def->group || strcmp(other->file, def->file) != 0 ||
			!watched_counter(setting, other, layer))
			continue;
		if (speaker == NULL || strcmp(other->name, other->file) == 0)
			speaker = other;
	}
	return speaker;
}

static const json_t *
report_saturated(struct evaluation *evaluation, struct claim *claim, const struct counter_def *def)
{
	claim->error_code = def->name;
	claim->error_word = CODE_SATURATED;
	return evaluation_report(evaluation, claim,
		"Port %s port %" PRId64 ": %s is at its maximum of %" PRIu64
		" and can count no further until it is reset",
		claim->device, claim->port, def->name, counter_maximum(def));
}

static const json_t *
report_ended(struct evaluation *evaluation, struct claim *claim, const struct counter_def *def)
{
	claim->healthy = true;
	claim->error_code = def->name;
	claim->error_word = CODE_SATURATED;
	return evaluation_report(evaluation, claim,
		"Counter %s can count again on port %s port %" PRId64, def->name, claim->device,
		claim->port);
}

void
saturation_eval(struct evaluation *evaluation, const struct counter_reading *reading)
{
	enum check check = check_degradation(reading->layer);
	enum saturation before = reading->memory->saturation;

	/* The second reading is evaluated with the first verdicts at the earliest. */
	if (evaluation->booting ||
		(reading->memory->seen && (evaluation->waiting || before == SATURATION_NONE)))
		return;
	uint64_t maximum = counter_maximum(reading->def);
	if (maximum == 0)
		return;
	/* A counter that was reported must itself report the end, even if another one now speaks
	 * for the file. */
	if (!evaluation->setting->enabled[check] ||
		(before != SATURATION_REPORTED && speaker_of(evaluation->setting, reading->def,
							  reading->layer) != reading->def))
		return;
	enum saturation_verdict verdict =
		saturation_step(reading->memory, maximum, reading->now.value);
	if (reading->memory->saturation != before)
		evaluation->state->changed = true;
	if (verdict == SATURATION_QUIET)
		return;

	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, check);
	if (verdict == SATURATION_ENDED)
		counterexplain_event(evaluation, reading->port, reading->def,
			report_ended(evaluation, &claim, reading->def), "its value changes again");
	else
		counterexplain_event(evaluation, reading->port, reading->def,
			report_saturated(evaluation, &claim, reading->def),
			"it was at its maximum when first seen or cleared and has not changed "
			"since");
}

void
saturation_clear(struct evaluation *evaluation, const struct counter_reading *reading)
{
	const struct counter_list *counters = evaluation->setting->counters;
	const struct counter_def *speaker =
		speaker_of(evaluation->setting, reading->def, reading->layer);
	struct port_entry *entry = evaluation_entry(evaluation, reading->port);
	uint64_t maximum = counter_maximum(reading->def);
	if (speaker == NULL || entry == NULL || maximum == 0 || reading->now.value != maximum)
		return;
	struct counter_memory *memory = &entry->counters[speaker - counters->items];
	if (memory->saturation == SATURATION_NONE)
		memory->saturation = SATURATION_SUSPECTED;
}

bool
saturation_baseline(struct evaluation *evaluation, const struct scan_port *port, enum layer layer,
	const struct counter_def *def)
{
	uint64_t maximum = counter_maximum(def), value;

	if (maximum == 0 || speaker_of(evaluation->setting, def, layer) != def ||
		rec_u64(portfacts_counter(&port->record, def), &value) != REC_OK ||
		value == maximum)
		return false;
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(layer));
	report_ended(evaluation, &claim, def);
	return true;
}

void
saturation_report_again(struct evaluation *evaluation, const struct port_entry *entry,
	const struct counter_def *def)
{
	struct claim claim = evaluation_about(
		evaluation, check_degradation(entry->layer), entry->device, entry->number);
	report_saturated(evaluation, &claim, def);
}
