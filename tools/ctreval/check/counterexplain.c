/* counterexplain - decision records about counters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "counterexplain.h"

#include "portfacts.h"

#include <inttypes.h>
#include <stdlib.h>

#define NS_PER_S 1e9

static const char *
verdict_word(enum counter_verdict verdict)
{
	switch (verdict) {
	case COUNTER_QUIET:
		return "quiet";
	case COUNTER_BREACH:
		return "breach";
	case COUNTER_RECOVERY:
		return "recovery";
	}
	return NULL;
}

static bool
was_measured(enum counter_why why)
{
	return why == COUNTER_WITHIN || why == COUNTER_EXCEEDED || why == COUNTER_EXCEEDED_EARLY;
}

/* Return the finding in words, to free(); NULL when memory ran out. */
static char *
reason_new(struct evaluation *evaluation, const struct counter_def *def,
	const struct counter_memory *memory, const struct counter_sample *now,
	const struct counter_finding *finding)
{
	const char *unit = counter_unit_name(def->unit);
	double elapsed_s = (double)finding->elapsed_ns / NS_PER_S;
	double window_s = (double)counter_unit_ns(def->unit) / NS_PER_S;
	const char *above = finding->why == COUNTER_EXCEEDED ? "is above" : "is not above";

	switch (finding->why) {
	case COUNTER_FIRST_SEEN:
		return evaluation_text_new(
			evaluation, memory->breached ? "first value since a breach was reported: "
						       "latched until it is reset"
						     : "first value seen: growth counts from here");
	case COUNTER_WAS_RESET:
		return evaluation_text_new(evaluation,
			"it went down to %" PRIu64 ": it was reset%s", now->value,
			finding->verdict == COUNTER_RECOVERY ? ", which ends the breach"
							     : "; growth counts from here");
	case COUNTER_CLEARED:
		return evaluation_text_new(evaluation,
			"an operator has cleared it at %" PRIu64 "; growth counts from here",
			now->value);
	case COUNTER_TIME_STOOD:
		return evaluation_text_new(
			evaluation, "no time has passed since the snapshot, so there is no rate");
	case COUNTER_LATCHED:
		return evaluation_text_new(evaluation,
			"in breach since %s, which was reported; latched until it is reset or the "
			"node reboots",
			*memory->breach.since != '\0' ? memory->breach.since : "an unknown time");
	case COUNTER_WINDOW_OPEN:
		return evaluation_text_new(evaluation,
			"grew by %" PRIu64 " in %.1f s: the window of 1 %s is over in %.1f s, "
			"and nothing is extrapolated",
			finding->delta, elapsed_s, unit, window_s - elapsed_s);
	case COUNTER_WITHIN:
	case COUNTER_EXCEEDED:
		if (def->type == COUNTER_DELTA)
			return evaluation_text_new(evaluation,
				"growth of %" PRIu64 " since the last scan %s the threshold of %g",
				finding->delta, above, def->threshold);
		return evaluation_text_new(evaluation,
			"rate of %.2f/%s over %.1f s %s the threshold of %g/%s", finding->rate,
			unit, elapsed_s, above, def->threshold, unit);
	case COUNTER_EXCEEDED_EARLY:
		return evaluation_text_new(evaluation,
			"growth of %" PRIu64
			" in %.1f s is above the %g that a whole window of 1 %s allows "
			"(earlyBreach)",
			finding->delta, elapsed_s, def->threshold, unit);
	}
	return NULL;
}

/* Return the members that every decision record about a counter has. */
static json_t *
fields_new(const struct scan_port *port, const struct counter_def *def)
{
	return json_pack("{s:s, s:I, s:s, s:f, s:s, s:s}", "device", port->record.device, "port",
		(json_int_t)port->record.port, "counter", def->name, "threshold", def->threshold,
		"type", def->type == COUNTER_DELTA ? "delta" : "velocity", "unit",
		counter_unit_name(watched_rate_unit(def)));
}

void
counterexplain_finding(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct counter_memory *memory,
	const struct counter_sample *now, const struct counter_finding *finding, const json_t *said)
{
	json_t *fields = fields_new(port, def);
	bool first = finding->why == COUNTER_FIRST_SEEN;
	json_object_set_new(fields, "value", rec_u64_new(now->value));
	json_object_set_new(fields, "snapshot",
		first ? json_null()
		      : json_pack("{s:o, s:I}", "value", rec_u64_new(finding->snapshot.value),
				"boottime_ns", (json_int_t)finding->snapshot.boottime_ns));
	json_object_set_new(fields, "elapsed_s",
		finding->elapsed_ns > 0 ? json_real((double)finding->elapsed_ns / NS_PER_S)
					: json_null());
	json_object_set_new(fields, "delta",
		finding->elapsed_ns > 0 ? rec_u64_new(finding->delta) : json_null());
	json_object_set_new(fields, "rate",
		was_measured(finding->why) ? json_real(finding->rate) : json_null());
	json_object_set_new(fields, "latched", json_boolean(memory->breached));
	json_object_set_new(fields, "verdict", json_string(verdict_word(finding->verdict)));

	char *reason = reason_new(evaluation, def, memory, now, finding);
	if (reason != NULL && memory->saturation == SATURATION_REPORTED) {
		char *longer = evaluation_text_new(evaluation,
			"%s; it is at its maximum and can count no further, already reported",
			reason);
		free(reason);
		reason = longer;
	}
	if (reason != NULL)
		evaluation_explain(evaluation, "counter", fields, said, reason);
	else
		json_decref(fields);
	free(reason);
}

void
counterexplain_none(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, bool watched)
{
	json_t *fields = fields_new(port, def);
	const char *reason = "the port has no such counter, or it could not be read";
	if (!counter_is_for(def, port->record.link_layer))
		reason = "the carrier of an IPoIB interface is not checked";
	if (!watched)
		reason = evaluation->setting->counter_detection && def->enabled
				 ? EVALUATION_SWITCHED_OFF
				 : "it is disabled in the configuration";
	json_object_set_new(fields, "value", json_null());
	json_object_set_new(fields, "verdict", json_string("not_judged"));
	evaluation_explain(evaluation, "counter", fields, NULL, reason);
}

void
counterexplain_event(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const json_t *said, const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = fields_new(port, def);
	json_t *value = (json_t *)portfacts_counter(&port->record, def);
	json_object_set(fields, "value", value != NULL ? value : json_null());
	json_object_set_new(fields, "verdict", json_string(said != NULL ? "said" : "not_judged"));
	evaluation_explain(evaluation, "counter", fields, said, reason);
}
