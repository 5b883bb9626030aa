/* ownmetrics - emit's own metrics. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ownmetrics.h"

#include "clock.h"
#include "num.h"
#include "out/sinkspec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shortest interval of querying the spool. */
#define LOOK_NS NUM_NS_PER_S

/* Longest interval between rounds, for metrics that change with time. */
#define ROUND_NS (5 * NUM_NS_PER_S)

#define PREFIX "nic_health_monitor_"

enum {
	SINK_DELIVERED,
	SINK_REFUSED,
	SINK_ERRORS,
	SINK_LETTERS,
	SINK_UP,
	SINK_UNDELIVERED,
	SINK_FAMILY_N
};

/* Metrics with the label `sink`. */
static const struct metrics_family sink_families[SINK_FAMILY_N] = {
	[SINK_DELIVERED] = {PREFIX "sink_events_delivered_total",
		"Events that a sink has accepted.", METRICS_COUNTER, METRICS_LASTING},
	[SINK_REFUSED] = {PREFIX "sink_events_refused_total",
		"Events that a sink refused permanently.", METRICS_COUNTER, METRICS_LASTING},
	[SINK_ERRORS] = {PREFIX "sink_errors_total",
		"Failed attempts to deliver to a sink; each is retried.", METRICS_COUNTER,
		METRICS_LASTING},
	[SINK_LETTERS] = {PREFIX "dead_letters_total",
		"Events that a sink refused permanently and that were kept as dead letters.",
		METRICS_COUNTER, METRICS_LASTING},
	[SINK_UP] = {PREFIX "sink_up", "Whether the last attempt to deliver to a sink succeeded.",
		METRICS_GAUGE, METRICS_PROCESS},
	[SINK_UNDELIVERED] = {PREFIX "sink_undelivered_events",
		"Events that a sink has not received yet.", METRICS_GAUGE, METRICS_PROCESS},
};

static const struct metrics_family seconds_family = {PREFIX "sink_delivery_seconds",
	"Time until a sink accepted the events sent to it.", METRICS_HISTOGRAM, METRICS_LASTING};

/* Metrics of the Platform Connector under the original's names, for its dashboards. */
enum { PUBLISHER_SUCCESS, PUBLISHER_RETRIES, PUBLISHER_DROPPED, PUBLISHER_N };

#define PUBLISHER "nvsentinel_health_events_publisher_"

static const struct metrics_family publisher_families[PUBLISHER_N] = {
	[PUBLISHER_SUCCESS] = {PUBLISHER "sends_success_total",
		"Batches that a Platform Connector has accepted.", METRICS_COUNTER,
		METRICS_LASTING},
	[PUBLISHER_RETRIES] = {PUBLISHER "retries_total",
		"Failed attempts to send to a Platform Connector; each is retried.",
		METRICS_COUNTER, METRICS_LASTING},
	[PUBLISHER_DROPPED] = {PUBLISHER "dropped_total",
		"Events that a Platform Connector refused permanently.", METRICS_COUNTER,
		METRICS_LASTING},
};

static const struct metrics_family publisher_errors = {PUBLISHER "sends_error_total",
	"Failed attempts to send to a Platform Connector, by gRPC code.", METRICS_COUNTER,
	METRICS_LASTING};

static const struct metrics_family sent_family = {PREFIX "health_events_sent_total",
	"Total number of health events sent.", METRICS_COUNTER, METRICS_LASTING};

/* Metrics of a spool file. */
static const struct metrics_family spool_families[OWN_METRICS_SPOOL_N] = {
	[OWN_METRICS_STORED] = {PREFIX "spool_stored_events_total",
		"Events that were stored in the spool.", METRICS_COUNTER, METRICS_LASTING},
	[OWN_METRICS_ERRORS] = {PREFIX "spool_errors_total",
		"Failed attempts to use the spool or the acks file.", METRICS_COUNTER,
		METRICS_LASTING},
	[OWN_METRICS_UP] = {PREFIX "spool_up", "Whether the spool works.", METRICS_GAUGE,
		METRICS_PROCESS},
	[OWN_METRICS_EVENTS] = {PREFIX "spool_events",
		"Events that at least one sink has not received yet.", METRICS_GAUGE,
		METRICS_PROCESS},
	[OWN_METRICS_AGE] = {PREFIX "spool_oldest_event_age_seconds",
		"Age of the oldest event that a sink has not received yet; 0: there is none.",
		METRICS_GAUGE, METRICS_PROCESS},
	[OWN_METRICS_BYTES] = {PREFIX "spool_bytes", "Size of the spool, counted as for its limit.",
		METRICS_GAUGE, METRICS_PROCESS},
	[OWN_METRICS_HELD] = {PREFIX "spool_held_events",
		"Events held back because an earlier one is missing.", METRICS_GAUGE,
		METRICS_PROCESS},
	[OWN_METRICS_HELD_AGE] = {PREFIX "spool_oldest_held_event_age_seconds",
		"Age of the oldest held event; 0: there is none.", METRICS_GAUGE, METRICS_PROCESS},
	[OWN_METRICS_ANSWERED] = {PREFIX "spool_answered_events_total",
		"Events that arrived after their recovery: kept, not delivered.", METRICS_COUNTER,
		METRICS_LASTING},
	[OWN_METRICS_MISSING] = {PREFIX "spool_missing_events_total",
		"Events that were acknowledged and are missing from the spool.", METRICS_COUNTER,
		METRICS_LASTING},
	[OWN_METRICS_LETTERS] = {PREFIX "spool_dead_letters", "Dead letters in the spool.",
		METRICS_GAUGE, METRICS_PROCESS},
};

static const struct metrics_family dropped_family = {PREFIX "spool_dropped_events_total",
	"Events that were dropped undelivered because the spool was full; fatal ones never are.",
	METRICS_COUNTER, METRICS_LASTING};

/* Metrics of a silences file. */
static const struct metrics_family silence_families[OWN_METRICS_SILENCES_N] = {
	[OWN_METRICS_SILENCES] = {PREFIX "silences", "Silences in effect.", METRICS_GAUGE,
		METRICS_PROCESS},
	[OWN_METRICS_SILENCED] = {PREFIX "silenced_events_total",
		"Events that a silence covered when they arrived.", METRICS_COUNTER,
		METRICS_LASTING},
};

struct own_metrics_sink {
	char label[SINK_LABEL_SIZE + NUM_U64_SIZE];
	struct sink_tally tally; /* exported so far */
	uint64_t position;       /* at the last expensive update */
	struct metrics_cell *cells[SINK_FAMILY_N];
	struct metrics_cell *publisher[PUBLISHER_N]; /* NULL: not a Platform Connector */
	struct metrics_histogram seconds;
};

/* --- init --- */

static bool
is_taken(const struct own_metrics *own, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(own->of[i].label, own->of[index].label) == 0)
			return true;
	}
	return false;
}

/* Choose a unique label: append a number if an earlier sink has the same. */
static void
choose_label(struct own_metrics *own, size_t index)
{
	char *label = own->of[index].label;
	sink_spec_label(&own->sinks[index].spec, label);
	size_t length = strlen(label);
	for (unsigned n = 2; is_taken(own, index); n++)
		snprintf(label + length, NUM_U64_SIZE, "#%u", n);
}

static struct metrics_cell *
publisher_error(struct own_metrics *own, unsigned code)
{
	const struct metrics_label labels[] = {
		{"monitor", "nic-health-monitor"}, {"code", grpc_code_name(code)}};
	return metrics_cell(own->metrics, &publisher_errors, labels, 2);
}

/* Sum of all Platform Connectors: the original's metrics have no label per connector. */
static void
init_publisher(struct own_metrics *own, struct metrics_cell *cells[PUBLISHER_N])
{
	const struct metrics_label labels[] = {
		{"monitor", "nic-health-monitor"}, {"reason", "rejected"}};
	for (size_t i = 0; i < PUBLISHER_N; i++)
		cells[i] = metrics_cell(own->metrics, &publisher_families[i], labels,
			i == PUBLISHER_DROPPED ? 2 : 1);
}

static void
init_sink(struct own_metrics *own, size_t index)
{
	struct own_metrics_sink *of = &own->of[index];
	choose_label(own, index);
	const struct metrics_label label = {"sink", of->label};
	for (size_t i = 0; i < SINK_FAMILY_N; i++) {
		if (i != SINK_LETTERS || journal_is_durable(own->journal))
			of->cells[i] = metrics_cell(own->metrics, &sink_families[i], &label, 1);
	}
	metrics_histogram_init(&of->seconds, own->metrics, &seconds_family, &label, 1);
	if (own->sinks[index].spec.kind->counts)
		init_publisher(own, of->publisher);
}

static struct metrics_cell *
sent_cell(struct own_metrics *own, size_t check, size_t severity)
{
	const struct metrics_label labels[] = {{"check", sent_check_name(check)},
		{"is_fatal", severity == SENT_FATAL ? "true" : "false"}};
	return metrics_cell(own->metrics, &sent_family, labels, 2);
}

static void
init_silences(struct own_metrics *own)
{
	for (size_t i = 0; i < OWN_METRICS_SILENCES_N; i++)
		own->silences[i] = metrics_cell(own->metrics, &silence_families[i], NULL, 0);
}

/* Only events that are not fatal are dropped; the constant 0 for fatal ones shows that. */
static void
init_spool(struct own_metrics *own)
{
	struct metrics *metrics = own->metrics;
	const struct metrics_label fatal = {"is_fatal", "true"}, other = {"is_fatal", "false"};
	for (size_t i = 0; i < OWN_METRICS_SPOOL_N; i++)
		own->spool[i] = metrics_cell(metrics, &spool_families[i], NULL, 0);
	metrics_cell(metrics, &dropped_family, &fatal, 1);
	own->dropped = metrics_cell(metrics, &dropped_family, &other, 1);
}

/* As in the original an event counts as sent when the first Platform Connector has it; without one,
 * when the first sink has it. */
static struct sink *
sink_that_counts(struct own_metrics *own)
{
	for (size_t i = 0; i < own->sink_count; i++) {
		if (own->sinks[i].spec.kind->counts)
			return &own->sinks[i];
	}
	return &own->sinks[0];
}

int
own_metrics_init(struct own_metrics *own, struct metrics *metrics, struct journal *journal,
	const struct silencing *silencing, struct sink *sinks, size_t sink_count)
{
	*own = (struct own_metrics){.metrics = metrics,
		.journal = journal,
		.silencing = silencing,
		.sinks = sinks,
		.sink_count = sink_count};
	if (metrics == NULL)
		return 0;
	own->of = calloc(sink_count, sizeof *own->of);
	if (own->of == NULL)
		return -1;
	for (size_t i = 0; i < sink_count; i++)
		init_sink(own, i);
	sink_that_counts(own)->sent = &own->sent;
	/* Export 0 instead of no sample before the first event. */
	for (size_t check = 0; check < SENT_OTHER; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++)
			sent_cell(own, check, i);
	}
	if (journal_is_durable(journal))
		init_spool(own);
	if (silencing->reader.path != NULL)
		init_silences(own);
	return 0;
}

/* --- cheap metrics --- */

static void
count(struct metrics_cell *cell, uint64_t *counted, uint64_t now)
{
	metrics_add(cell, now - *counted);
	*counted = now;
}

/* Call it before note_sink() updates the tally. */
static void
note_publisher(struct own_metrics *own, const struct sink *sink, struct own_metrics_sink *of)
{
	const struct sink_tally *now = &sink->tally, *counted = &of->tally;
	metrics_add(of->publisher[PUBLISHER_SUCCESS], now->accepted - counted->accepted);
	metrics_add(of->publisher[PUBLISHER_RETRIES], now->failures - counted->failures);
	metrics_add(of->publisher[PUBLISHER_DROPPED], now->refused - counted->refused);
	for (unsigned code = 1; code < GRPC_CODES; code++) {
		if (now->codes[code] != counted->codes[code])
			count(publisher_error(own, code), &of->tally.codes[code], now->codes[code]);
	}
}

static void
note_sink(struct own_metrics *own, size_t index)
{
	const struct sink *sink = &own->sinks[index];
	struct own_metrics_sink *of = &own->of[index];
	if (sink->spec.kind->counts)
		note_publisher(own, sink, of);
	uint64_t refused = sink->tally.refused - of->tally.refused;
	metrics_add(of->cells[SINK_LETTERS], refused);
	count(of->cells[SINK_REFUSED], &of->tally.refused, sink->tally.refused);
	count(of->cells[SINK_DELIVERED], &of->tally.delivered, sink->tally.delivered);
	count(of->cells[SINK_ERRORS], &of->tally.failures, sink->tally.failures);
	/* A round accepts at most one request or write. */
	if (sink->tally.accepted != of->tally.accepted)
		metrics_observe(&of->seconds, (double)sink->took_ns / NUM_NS_PER_S);
	of->tally.accepted = sink->tally.accepted;
	metrics_set(of->cells[SINK_UP], sink_is_up(sink, own->journal));
	if (of->position != sink->position)
		own->has_moved = true;
}

static void
note_sent(struct own_metrics *own)
{
	for (size_t check = 0; check < SENT_CHECKS; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++) {
			uint64_t *arrived = &own->sent.arrived[check][i];
			if (*arrived > 0)
				metrics_add(sent_cell(own, check, i), *arrived);
			*arrived = 0;
		}
	}
}

static void
note_journal(struct own_metrics *own)
{
	const struct journal_tally *now = &own->journal->tally;
	struct journal_tally *counted = &own->tally;
	count(own->spool[OWN_METRICS_STORED], &counted->stored, now->stored);
	count(own->spool[OWN_METRICS_ERRORS], &counted->failures, now->failures);
	count(own->spool[OWN_METRICS_MISSING], &counted->missing, now->missing);
	count(own->spool[OWN_METRICS_ANSWERED], &counted->answered, now->answered);
	count(own->dropped, &counted->dropped, now->dropped);
	metrics_set(own->spool[OWN_METRICS_UP], journal_has_spool(own->journal));
	metrics_set_vital(own->metrics, METRICS_SPOOL_HANGS, journal_hangs_since_ns(own->journal));
	if (own->last != journal_last(own->journal) || own->held != own->journal->held.count)
		own->has_moved = true;
}

static void
note_silences(struct own_metrics *own)
{
	const struct silencing *silencing = own->silencing;
	metrics_set(own->silences[OWN_METRICS_SILENCES],
		silences_count(&silencing->reader.silences, clock_realtime_ns()));
	count(own->silences[OWN_METRICS_SILENCED], &own->silenced, silencing->covered);
}

/* --- expensive metrics --- */

/* Export the undelivered events per sink. `*all`: those that any sink lacks, which are those of the
 * sink that is furthest behind. Return false if a count cannot be read; its metric keeps its
 * value. */
static bool
look_at_sinks(struct own_metrics *own, struct owed *all)
{
	bool is_known = true;
	*all = (struct owed){.events = 0};
	own->last = journal_last(own->journal);
	for (size_t i = 0; i < own->sink_count; i++) {
		const struct sink *sink = &own->sinks[i];
		struct own_metrics_sink *of = &own->of[i];
		struct owed owed;
		of->position = sink->position;
		if (!journal_measure(own->journal, sink->position, &owed)) {
			is_known = false;
			continue;
		}
		metrics_set(of->cells[SINK_UNDELIVERED], owed.events);
		/* The spool keeps nothing for a sink that is closed for good. */
		if (sink->state != SINK_GONE && owed.events > all->events)
			*all = owed;
	}
	return is_known;
}

static void
look_at_spool(struct own_metrics *own)
{
	uint64_t bytes, letters;
	if (!journal_look(own->journal, &bytes, &letters))
		return;
	metrics_set(own->spool[OWN_METRICS_BYTES], bytes);
	metrics_set(own->spool[OWN_METRICS_LETTERS], letters);
}

static void
look_at_held(struct own_metrics *own)
{
	const struct held *held = &own->journal->held;
	uint64_t now_ns = clock_monotonic_ns(), age_ns = 0;
	if (held->count > 0 && now_ns > held->events[0].since_ns)
		age_ns = now_ns - held->events[0].since_ns;
	own->held = held->count;
	metrics_set(own->spool[OWN_METRICS_HELD], held->count);
	metrics_set_real(own->spool[OWN_METRICS_HELD_AGE], (double)age_ns / NUM_NS_PER_S);
}

static void
look(struct own_metrics *own)
{
	struct owed all;
	look_at_held(own);
	if (look_at_sinks(own, &all)) {
		uint64_t realtime_ns = clock_realtime_ns(), age_ns = 0;
		if (all.oldest_ns != 0 && realtime_ns > all.oldest_ns)
			age_ns = realtime_ns - all.oldest_ns;
		metrics_set(own->spool[OWN_METRICS_EVENTS], all.events);
		metrics_set_real(own->spool[OWN_METRICS_AGE], (double)age_ns / NUM_NS_PER_S);
	}
	if (journal_is_durable(own->journal))
		look_at_spool(own);
}

/* --- rounds --- */

void
own_metrics_note(struct own_metrics *own, uint64_t now_ns)
{
	if (own->metrics == NULL)
		return;
	for (size_t i = 0; i < own->sink_count; i++)
		note_sink(own, i);
	note_sent(own);
	note_journal(own);
	note_silences(own);
	if (now_ns < own->look_at_ns)
		return;
	own->look_at_ns = now_ns + LOOK_NS;
	look(own);
	own->has_moved = false;
}

uint64_t
own_metrics_wakes_at_ns(const struct own_metrics *own, uint64_t now_ns)
{
	if (own->metrics == NULL)
		return UINT64_MAX;
	return own->has_moved ? own->look_at_ns : now_ns + ROUND_NS;
}

void
own_metrics_finish(struct own_metrics *own, uint64_t now_ns)
{
	own->look_at_ns = 0;
	own_metrics_note(own, now_ns);
}

void
own_metrics_fini(struct own_metrics *own)
{
	free(own->of);
	*own = (struct own_metrics){.metrics = NULL};
}
