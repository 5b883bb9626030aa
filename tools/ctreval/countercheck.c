/* countercheck - the counters of one port in one scan: SPEC section 4.1. */
#include "countercheck.h"

#include "explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One counter of one port in one scan. */
struct reading {
	const struct scan_port *port;
	const struct counter_def *def;
	struct counter_memory *memory;
	struct counter_sample now;
	bool ethernet;
};

static enum check
check_of(const struct eval_setting *setting, const struct counter_def *def, bool ethernet)
{
	if (def->fatal && !setting->fatal_counters_as_degradation)
		return check_state(ethernet);
	return check_degradation(ethernet);
}

bool
countercheck_is_watched(
	const struct eval_setting *setting, const struct counter_def *def, bool ethernet)
{
	return setting->counter_detection && def->enabled &&
	       setting->enabled[check_of(setting, def, ethernet)];
}

const json_t *
countercheck_value(const struct scanrec_port *port, const struct counter_def *def)
{
	const json_t *maps[] = {
		[COUNTER_PORT] = port->counters,
		[COUNTER_HW] = port->hw_counters,
		[COUNTER_STATISTICS] = port->net,
		[COUNTER_INTERFACE] = port->net,
	};
	return json_object_get(maps[def->group], def->file);
}

/* An event about the counter; takes `text`, which may be NULL when memory ran out. */
static const json_t *
say(struct evaluation *evaluation, const struct reading *reading, struct claim claim, char *text)
{
	const json_t *said = NULL;
	claim.error_code = reading->def->name;
	claim.message = text;
	if (text != NULL)
		said = evaluation_say(evaluation, &claim);
	free(text);
	return said;
}

/* --- saturation --- */

/* Two counters may read one file (symbol_error and symbol_error_fatal): the one named like the file speaks for it, else the first. */
static bool
speaks_for_file(const struct eval_setting *setting, const struct counter_def *def, bool ethernet)
{
	const struct counter_def *speaker = NULL;
	for (size_t i = 0; i < setting->counters->count; i++) {
		const struct counter_def *other = &setting->counters->items[i];
		if (other->group != def->group || strcmp(other->file, def->file) != 0 ||
			!countercheck_is_watched(setting, other, ethernet))
			continue;
		if (speaker == NULL || strcmp(other->name, other->file) == 0)
			speaker = other;
	}
	return speaker == def;
}

static void
judge_saturation(struct evaluation *evaluation, const struct reading *reading)
{
	const struct scanrec_port *record = &reading->port->record;
	const char *name = reading->def->name;
	enum check check = check_degradation(reading->ethernet);
	uint64_t maximum = counter_maximum(reading->def);

	enum saturation before = reading->memory->saturation;

	/* The second look at it is the first scan's verdict at the earliest. */
	if (maximum == 0 ||
		(reading->memory->seen && (evaluation->waiting || before == SATURATION_NONE)))
		return;
	if (!evaluation->setting->enabled[check] ||
		!speaks_for_file(evaluation->setting, reading->def, reading->ethernet))
		return;
	enum saturation_verdict verdict =
		saturation_step(reading->memory, maximum, reading->now.value);
	if (reading->memory->saturation != before)
		evaluation->state->changed = true;
	if (verdict == SATURATION_QUIET)
		return;

	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, check);
	claim.error_word = "saturated";
	claim.healthy = verdict == SATURATION_ENDED;
	const json_t *said = say(evaluation, reading, claim,
		claim.healthy
			? evaluation_text_new(evaluation,
				  "Counter %s can count again on port %s port %" PRId64, name,
				  record->device, record->port)
			: evaluation_text_new(evaluation,
				  "Port %s port %" PRId64 ": %s stands at its maximum of %" PRIu64
				  " and can count no further until it is reset",
				  record->device, record->port, name, maximum));
	explain_counter_event(evaluation, reading->port, reading->def, said,
		claim.healthy ? "it moves again"
			      : "it was at its maximum when first seen, and has not moved since");
}

/* --- breach and recovery --- */

static const json_t *
say_breach(struct evaluation *evaluation, const struct reading *reading,
	const struct counter_finding *finding)
{
	const struct scanrec_port *record = &reading->port->record;
	const struct counter_def *def = reading->def;
	struct breach *breach = &reading->memory->breach;
	enum check check = check_of(evaluation->setting, def, reading->ethernet);

	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, check);
	claim.fatal = def->fatal;
	const json_t *said = say(evaluation, reading, claim,
		evaluation_text_new(evaluation,
			"Port %s port %" PRId64 ": %s - %s (value=%" PRIu64 ", delta=%" PRIu64
			", rate=%.2f/%s)",
			record->device, record->port, def->name, def->description,
			reading->now.value, finding->delta, finding->rate,
			counter_unit_name(counter_rate_unit(def))));
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
	return said;
}

static const json_t *
say_recovery(struct evaluation *evaluation, const struct reading *reading)
{
	const struct scanrec_port *record = &reading->port->record;
	enum check check = reading->memory->breach.check;

	free(reading->memory->breach.message);
	reading->memory->breach.message = NULL;
	if (!evaluation->setting->enabled[check])
		return NULL;
	struct claim claim = evaluation_about_port(evaluation->scan, reading->port, check);
	claim.healthy = true;
	return say(evaluation, reading, claim,
		evaluation_text_new(evaluation, "Counter %s recovered on port %s port %" PRId64,
			reading->def->name, record->device, record->port));
}

static void
judge(struct evaluation *evaluation, const struct reading *reading)
{
	const json_t *said = NULL;
	struct counter_finding finding = counter_step(reading->def, reading->memory, &reading->now);

	evaluation->state->touched = true;
	if (finding.verdict == COUNTER_BREACH)
		said = say_breach(evaluation, reading, &finding);
	else if (finding.verdict == COUNTER_RECOVERY)
		said = say_recovery(evaluation, reading);
	if (finding.verdict != COUNTER_QUIET)
		evaluation->state->changed = true;
	if (evaluation->setting->explain)
		explain_counter(evaluation, reading->port, reading->def, reading->memory,
			&reading->now, &finding, said);
}

void
countercheck_port(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const struct eval_setting *setting = evaluation->setting;
	struct reading reading = {
		.port = port,
		.now.boottime_ns = port->record.boottime_ns,
		.ethernet = entry->ethernet,
	};

	for (size_t i = 0; i < setting->counters->count; i++) {
		reading.def = &setting->counters->items[i];
		reading.memory = &entry->counters[i];
		/* Missing counters are normal across generations of cards; what is no number is none. */
		/* A breach waits for the check that can take it back. */
		bool watched = countercheck_is_watched(setting, reading.def, reading.ethernet) &&
			       (!reading.memory->breached ||
				       setting->enabled[reading.memory->breach.check]);
		const json_t *value = countercheck_value(&port->record, reading.def);
		if (!watched || rec_u64(value, &reading.now.value) != REC_OK) {
			if (setting->explain)
				explain_no_counter(evaluation, port, reading.def, watched);
			continue;
		}
		judge_saturation(evaluation, &reading);
		if (!evaluation->waiting) {
			judge(evaluation, &reading);
			continue;
		}
		counter_watch(reading.memory, &reading.now);
		explain_counter_event(evaluation, port, reading.def, NULL,
			"verdicts wait for a scan in which every device can be read");
	}
}

/* --- what a healthy event of the port hides, and the baseline --- */

void
countercheck_standing(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, enum check check)
{
	const struct counter_list *counters = evaluation->setting->counters;
	for (size_t i = 0; i < counters->count; i++) {
		const struct counter_memory *memory = &entry->counters[i];
		struct reading reading = {.port = port, .def = &counters->items[i]};
		uint64_t value;
		if (!memory->breached || !memory->breach.fatal || memory->breach.check != check)
			continue;
		/* One that this very scan ends stands no more. */
		if (rec_u64(countercheck_value(&port->record, reading.def), &value) == REC_OK &&
			counter_is_reset(memory, value))
			continue;
		struct claim claim = evaluation_about_port(evaluation->scan, port, check);
		claim.fatal = true;
		const json_t *said = say(evaluation, &reading, claim,
			memory->breach.message != NULL
				? evaluation_text_new(evaluation, "%s (standing breach)",
					  memory->breach.message)
				: evaluation_text_new(evaluation,
					  "Port %s port %" PRId64 ": %s - %s (standing breach)",
					  port->record.device, port->record.port, reading.def->name,
					  reading.def->description));
		explain_counter_event(evaluation, port, reading.def, said,
			"its breach stands, and the port's healthy event has just hidden it");
	}
}

void
countercheck_baseline(struct evaluation *evaluation, const struct scan_port *port, enum check check)
{
	const struct eval_setting *setting = evaluation->setting;
	const struct scanrec_port *record = &port->record;
	const struct port_entry *entry =
		state_find_port(evaluation->state, record->device, record->port);
	bool ethernet = entry != NULL && entry->ethernet;
	uint64_t value;

	for (size_t i = 0; i < setting->counters->count && entry != NULL; i++) {
		struct reading reading = {.port = port, .def = &setting->counters->items[i]};
		/* A baseline that comes late may find one in breach already. */
		if (entry->counters[i].breached ||
			!countercheck_is_watched(setting, reading.def, ethernet) ||
			check_of(setting, reading.def, ethernet) != check ||
			rec_u64(countercheck_value(record, reading.def), &value) != REC_OK)
			continue;
		struct claim claim = evaluation_about_port(evaluation->scan, port, check);
		claim.healthy = true;
		say(evaluation, &reading, claim,
			evaluation_text_new(evaluation,
				"Counter %s healthy after reboot on port %s port %" PRId64,
				reading.def->name, record->device, record->port));
	}
}
