/* explain - decision records: what was compared with what, and why there was or was not an event. */
#include "explain.h"

#include "countercheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* --- counters --- */

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

/* The finding in words, from malloc. */
static char *
counter_reason_new(struct evaluation *evaluation, const struct counter_def *def,
	const struct counter_memory *memory, const struct counter_sample *now,
	const struct counter_finding *finding)
{
	const char *unit = counter_unit_name(def->unit);
	double elapsed_s = (double)finding->elapsed_ns / NS_PER_S;
	double window_s = (double)counter_unit_ns(def->unit) / NS_PER_S;
	const char *above = finding->why == COUNTER_EXCEEDED ? "is above" : "is not above";

	switch (finding->why) {
	case COUNTER_FIRST_SEEN:
		return evaluation_text_new(evaluation,
			memory->breached
				? "first value since a breach was reported: latched until it is reset"
				: "first value seen: growth counts from here");
	case COUNTER_WAS_RESET:
		return evaluation_text_new(evaluation,
			"it went down to %" PRIu64 ": it was reset%s", now->value,
			finding->verdict == COUNTER_RECOVERY ? ", which ends the breach"
							     : "; growth counts from here");
	case COUNTER_TIME_STOOD:
		return evaluation_text_new(evaluation,
			"no time has passed since the snapshot: nothing can be measured");
	case COUNTER_LATCHED:
		return evaluation_text_new(evaluation,
			"in breach since %s, which was reported; latched until it is reset or the node "
			"reboots",
			*memory->breach.since != '\0' ? memory->breach.since : "an unknown time");
	case COUNTER_WINDOW_OPEN:
		return evaluation_text_new(evaluation,
			"grew by %" PRIu64
			" in %.1f s: the window of 1 %s is over in %.1f s, and nothing is extrapolated",
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

/* What every decision about a counter begins with. */
static json_t *
counter_fields_new(const struct scan_port *port, const struct counter_def *def)
{
	return json_pack("{s:s, s:I, s:s, s:f, s:s, s:s}", "device", port->record.device, "port",
		(json_int_t)port->record.port, "counter", def->name, "threshold", def->threshold,
		"type", def->type == COUNTER_DELTA ? "delta" : "velocity", "unit",
		counter_unit_name(counter_rate_unit(def)));
}

void
explain_counter(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct counter_memory *memory,
	const struct counter_sample *now, const struct counter_finding *finding, const json_t *said)
{
	json_t *fields = counter_fields_new(port, def);
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

	char *reason = counter_reason_new(evaluation, def, memory, now, finding);
	if (reason != NULL && memory->saturation == SATURATION_REPORTED) {
		char *longer = evaluation_text_new(evaluation,
			"%s; it stands at its maximum, which was reported, and can count no further",
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
explain_no_counter(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, bool watched)
{
	json_t *fields = counter_fields_new(port, def);
	const char *reason = "the port has no such counter, or it could not be read";
	if (!watched)
		reason = evaluation->setting->counter_detection && def->enabled
				 ? "its check is switched off (--checks)"
				 : "it is switched off in the configuration";
	json_object_set_new(fields, "value", json_null());
	json_object_set_new(fields, "verdict", json_string("not_judged"));
	evaluation_explain(evaluation, "counter", fields, NULL, reason);
}

void
explain_counter_event(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const json_t *said, const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = counter_fields_new(port, def);
	json_t *value = (json_t *)countercheck_value(&port->record, def);
	json_object_set(fields, "value", value != NULL ? value : json_null());
	json_object_set_new(fields, "verdict", json_string(said != NULL ? "said" : "not_judged"));
	evaluation_explain(evaluation, "counter", fields, said, reason);
}

/* --- ports --- */

/* Why a port ends in this memory without an event. */
static const char *
port_reason(enum port_memory before, enum port_memory after, bool healthy)
{
	switch (after) {
	case PORT_NEW:
	case PORT_NEW_SUSPECT:
		return "on its way up or down, and never seen otherwise: not reported";
	case PORT_HEALTHY:
		if (!healthy)
			return "on its way up or down, which is not reported of Ethernet";
		return before == PORT_NEW ? "healthy when first seen: nothing to say"
					  : "healthy, as before";
	case PORT_DEGRADED:
		return "not healthy, which was reported as non-fatal";
	case PORT_FATAL:
		return "not healthy, which was reported as fatal; stands until it is healthy";
	case PORT_DEGRADED_MUTE:
	case PORT_FATAL_MUTE:
		return "not healthy since it was first seen, and neither its peers nor the configuration say that "
		       "it should be: not reported";
	case PORT_MEMORY_N:
		break;
	}
	return "";
}

void
explain_port(struct evaluation *evaluation, const struct scan_port *port, enum port_memory before,
	enum port_memory after, const json_t *said, const char *reason)
{
	const struct scanrec_port *record = &port->record;
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:s?, s:s?, s:s, s:s}", "device", record->device,
		"port", (json_int_t)record->port, "state", record->state, "phys_state",
		record->phys_state, "before", port_memory_name(before), "now",
		port_memory_name(after));
	if (reason == NULL && evaluation->first && evaluation->state->baseline_owed &&
		after == PORT_HEALTHY && said == NULL)
		reason = "healthy, which the baseline says";
	if (reason == NULL)
		reason = said != NULL ? "its health changed"
				      : port_reason(before, after, evaluation_is_healthy(record));
	evaluation_explain(evaluation, "port", fields, said, reason);
}

/* --- cards and devices --- */

/* `said`: an event came of it, which is what the sight explains then. */
static const char *
card_reason(const struct card_unit *unit, enum card_sight sight, bool said)
{
	bool below = sight == CARD_BELOW_FIRST || sight == CARD_BELOW_YOUNG ||
		     sight == CARD_BELOW_COVERED || sight == CARD_BELOW;
	if (below && !said && unit->entry->memory == CARD_ANOMALOUS)
		return "fewer active ports than its peers, which was reported; stands until it has as many";
	switch (sight) {
	case CARD_NOT_JUDGED:
		return unit->why_not;
	case CARD_MEETS:
		return "as many active ports as its peers";
	case CARD_BELOW_FIRST:
		return "fewer active ports than its peers in the first scan";
	case CARD_BELOW_YOUNG:
		return "fewer active ports than its peers, but not for settleSeconds yet";
	case CARD_BELOW_COVERED:
		return "fewer active ports than its peers, but each missing one has a fatal event of its own";
	case CARD_BELOW:
		return "fewer active ports than its peers for settleSeconds";
	case CARD_SIGHT_N:
		break;
	}
	return "";
}

/* One for each of its devices, so that whoever asks about a device finds its card too. */
void
explain_card(struct evaluation *evaluation, const struct card_unit *unit, const char *devices,
	enum card_sight sight, const json_t *said)
{
	if (!evaluation->setting->explain)
		return;
	for (size_t i = 0; i < evaluation->scan->device_count; i++) {
		const struct scan_device *device = &evaluation->scan->devices[i];
		char card[STATE_NAME_SIZE];
		evaluation_card(&device->record, card);
		if (!evaluation_is_watched(device) || strcmp(card, unit->entry->card) != 0)
			continue;
		json_t *fields = json_pack("{s:s, s:s, s:s, s:s?, s:s, s:i, s:b}", "device",
			device->record.device, "card", card, "devices", devices, "role", unit->role,
			"link_layer", unit->entry->ethernet ? "Ethernet" : "InfiniBand", "active",
			(int)unit->active, "reported", unit->entry->memory == CARD_ANOMALOUS);
		json_object_set_new(fields, "mode",
			unit->why_not == NULL ? json_integer(unit->mode) : json_null());
		evaluation_explain(
			evaluation, "card", fields, said, card_reason(unit, sight, said != NULL));
	}
}

static json_t *
rate_or_null(double rate_gbps)
{
	return rate_gbps > 0 ? json_real(rate_gbps) : json_null();
}

static json_t *
width_or_null(unsigned width)
{
	return width > 0 ? json_integer(width) : json_null();
}

void
explain_rate(struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, const struct port_entry *entry, const json_t *said,
	const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:b}",
		"device", port->record.device, "port", (json_int_t)port->record.port, "role",
		peers->role, "link_layer", peers->link_layer, "hca_type", peers->hca_type,
		"rate_gbps", rate_or_null(peers->rate_gbps), "peer_rate_gbps",
		rate_or_null(peers->peer_rate_gbps), "width", width_or_null(peers->width),
		"peer_width", width_or_null(peers->peer_width), "reported",
		entry->rate == RATE_SLOW);
	evaluation_explain(evaluation, "rate", fields, said, reason);
}

/* topoclass' word in a person's words. */
static const char *
in_words(const char *reason)
{
	static const char *const words[][2] = {
		{"virtual_function", "virtual functions never alert"},
		{"default_route", "it carries the host's default route"},
		{"numa_gate", "its NUMA node has no GPU"},
		{"numa_unknown", "its NUMA node is not known, and it is near no GPU"},
		{"bluefield_all_sys", "it is a BlueField that is near no GPU"},
		{"vendor", "it is no NVIDIA mlx5 device"},
		{"excluded", "nicExclusionRegex names it"},
		{"override", "nicInclusionRegexOverride does not name it"},
	};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strcmp(reason, words[i][0]) == 0)
			return words[i][1];
	}
	return "so its record says";
}

void
explain_device(struct evaluation *evaluation, const struct scan_device *device, const json_t *said,
	const char *reason)
{
	const struct scanrec_device *record = &device->record;
	if (!evaluation->setting->explain)
		return;
	char text[200];
	if (reason == NULL) {
		const char *word = record->vf               ? "virtual_function"
				   : record->reason != NULL ? record->reason
							    : "not annotated";
		snprintf(text, sizeof text, "not monitored (%s): %s", word, in_words(word));
		reason = text;
	}
	json_t *fields = json_pack("{s:s, s:s?, s:s?, s:b, s:s?}", "device", record->device, "pci",
		record->pci, "role", record->role, "monitored", evaluation_is_watched(device),
		"error", record->error);
	evaluation_explain(evaluation, "device", fields, said, reason);
}

void
explain_missing(struct evaluation *evaluation, const struct device_entry *entry, const json_t *said,
	const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:s?, s:s?, s:b, s:n, s:i}", "device", entry->node.key,
		"pci", *entry->pci != '\0' ? entry->pci : NULL, "role",
		*entry->role != '\0' ? entry->role : NULL, "monitored", 1, "error", "missing_scans",
		(int)entry->missing);
	evaluation_explain(evaluation, "device", fields, said, reason);
}

void
explain_missing_port(struct evaluation *evaluation, const struct port_entry *port,
	const json_t *said, const char *reason)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields = json_pack("{s:s, s:I, s:n, s:n, s:s, s:s}", "device", port->device, "port",
		(json_int_t)port->number, "state", "phys_state", "before",
		port_memory_name(port->health), "now", port_memory_name(PORT_FATAL));
	evaluation_explain(evaluation, "port", fields, said, reason);
}

void
explain_leaving(struct evaluation *evaluation, const char *about, const struct claim *claim,
	const json_t *said)
{
	if (!evaluation->setting->explain)
		return;
	json_t *fields =
		json_pack("{s:s}", strcmp(about, "card") == 0 ? "card" : "device", claim->device);
	if (claim->port != 0)
		json_object_set_new(fields, "port", json_integer(claim->port));
	if (strcmp(about, "counter") == 0)
		json_object_set_new(fields, "counter", json_string(claim->error_code));
	evaluation_explain(evaluation, about, fields, said,
		"what was reported about it is taken back: it is monitored no more");
}
