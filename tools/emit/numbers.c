/* numbers - what emit hands up about itself. */
#include "numbers.h"

#include "clock.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often at most the spool is asked what is in it. */
#define LOOK_NS NUM_NS_PER_S

/* How often there is a round at least, for numbers that change by themselves. */
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

/* With the label `sink`. */
static const struct metrics_family sink_families[SINK_FAMILY_N] = {
	[SINK_DELIVERED] = {PREFIX "sink_events_delivered_total",
		"Events that a sink has accepted.", METRICS_COUNTER, METRICS_LASTING},
	[SINK_REFUSED] = {PREFIX "sink_events_refused_total",
		"Events that a sink has refused for good.", METRICS_COUNTER, METRICS_LASTING},
	[SINK_ERRORS] = {PREFIX "sink_errors_total",
		"Attempts to deliver to a sink that failed, and are made again.", METRICS_COUNTER,
		METRICS_LASTING},
	[SINK_LETTERS] = {PREFIX "dead_letters_total",
		"Events that a sink has refused for good and that were kept as dead letters.",
		METRICS_COUNTER, METRICS_LASTING},
	[SINK_UP] = {PREFIX "sink_up", "Whether the last attempt to deliver to a sink succeeded.",
		METRICS_GAUGE, METRICS_PROCESS},
	[SINK_UNDELIVERED] = {PREFIX "sink_undelivered_events",
		"Events that a sink does not have yet.", METRICS_GAUGE, METRICS_PROCESS},
};

static const struct metrics_family seconds_family = {PREFIX "sink_delivery_seconds",
	"How long it took until a sink accepted what was sent to it.", METRICS_HISTOGRAM,
	METRICS_LASTING};

static const struct metrics_family sent_family = {PREFIX "health_events_sent_total",
	"Total number of health events sent.", METRICS_COUNTER, METRICS_LASTING};

/* Of a spool that is a file. */
static const struct metrics_family spool_families[NUMBERS_SPOOL_N] = {
	[NUMBERS_STORED] = {PREFIX "spool_stored_events_total",
		"Events that were stored in the spool.", METRICS_COUNTER, METRICS_LASTING},
	[NUMBERS_ERRORS] = {PREFIX "spool_errors_total",
		"Attempts to use the spool or the acks file that failed.", METRICS_COUNTER,
		METRICS_LASTING},
	[NUMBERS_EVENTS] = {PREFIX "spool_events",
		"Events that at least one sink does not have yet.", METRICS_GAUGE, METRICS_PROCESS},
	[NUMBERS_AGE] = {PREFIX "spool_oldest_event_age_seconds",
		"For how long the oldest of these has been waiting, 0 when there is none.",
		METRICS_GAUGE, METRICS_PROCESS},
	[NUMBERS_BYTES] = {PREFIX "spool_bytes", "Size of the spool, as its limit counts it.",
		METRICS_GAUGE, METRICS_PROCESS},
	[NUMBERS_LETTERS] = {PREFIX "spool_dead_letters", "Dead letters that are in the spool.",
		METRICS_GAUGE, METRICS_PROCESS},
};

static const struct metrics_family dropped_family = {PREFIX "spool_dropped_events_total",
	"Events that were dropped undelivered because the spool was full; fatal ones never are.",
	METRICS_COUNTER, METRICS_LASTING};

struct numbers_sink {
	char label[SINK_LABEL_SIZE + NUM_U64_SIZE];
	struct sink_tally tally; /* as far as it is in the page */
	uint64_t position;       /* at the last look */
	struct metrics_cell *cells[SINK_FAMILY_N];
	struct metrics_histogram seconds;
};

/* --- beginning --- */

static bool
is_taken(const struct numbers *numbers, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(numbers->of[i].label, numbers->of[index].label) == 0)
			return true;
	}
	return false;
}

/* Of several that would look alike each but the first has a number. */
static void
choose_label(struct numbers *numbers, size_t index)
{
	char *label = numbers->of[index].label;
	sink_spec_label(&numbers->sinks[index].spec, label);
	size_t length = strlen(label);
	for (unsigned n = 2; is_taken(numbers, index); n++)
		snprintf(label + length, NUM_U64_SIZE, "#%u", n);
}

static void
init_sink(struct numbers *numbers, size_t index)
{
	struct numbers_sink *of = &numbers->of[index];
	choose_label(numbers, index);
	const struct metrics_label label = {"sink", of->label};
	for (size_t i = 0; i < SINK_FAMILY_N; i++) {
		if (i != SINK_LETTERS || journal_is_durable(numbers->journal))
			of->cells[i] = metrics_cell(numbers->metrics, &sink_families[i], &label, 1);
	}
	metrics_histogram_init(&of->seconds, numbers->metrics, &seconds_family, &label, 1);
}

static struct metrics_cell *
sent_cell(struct numbers *numbers, size_t check, size_t severity)
{
	const struct metrics_label labels[] = {{"check", sent_checks[check]},
		{"is_fatal", severity == SENT_FATAL ? "true" : "false"}};
	return metrics_cell(numbers->metrics, &sent_family, labels, 2);
}

/* Of several severities one only is ever dropped, and that is shown. */
static void
init_spool(struct numbers *numbers)
{
	struct metrics *metrics = numbers->metrics;
	const struct metrics_label fatal = {"is_fatal", "true"}, other = {"is_fatal", "false"};
	for (size_t i = 0; i < NUMBERS_SPOOL_N; i++)
		numbers->spool[i] = metrics_cell(metrics, &spool_families[i], NULL, 0);
	metrics_cell(metrics, &dropped_family, &fatal, 1);
	numbers->dropped = metrics_cell(metrics, &dropped_family, &other, 1);
}

/* An event has been sent when the Platform Connector has it, as in the original; where there are several, when the first of them has; and without any, when the first sink has. */
static struct sink *
sink_that_counts(struct numbers *numbers)
{
	for (size_t i = 0; i < numbers->sink_count; i++) {
		if (numbers->sinks[i].spec.kind == SINK_GRPC)
			return &numbers->sinks[i];
	}
	return &numbers->sinks[0];
}

int
numbers_init(struct numbers *numbers, struct metrics *metrics, struct journal *journal,
	struct sink *sinks, size_t sink_count)
{
	*numbers = (struct numbers){
		.metrics = metrics, .journal = journal, .sinks = sinks, .sink_count = sink_count};
	if (metrics == NULL)
		return 0;
	numbers->of = calloc(sink_count, sizeof *numbers->of);
	if (numbers->of == NULL)
		return -1;
	for (size_t i = 0; i < sink_count; i++)
		init_sink(numbers, i);
	sink_that_counts(numbers)->sent = &numbers->sent;
	/* What has not happened yet is 0, and not missing. */
	for (size_t check = 0; check < SENT_OTHER; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++)
			sent_cell(numbers, check, i);
	}
	if (journal_is_durable(journal))
		init_spool(numbers);
	return 0;
}

/* --- what is known anyway --- */

static void
count(struct metrics_cell *cell, uint64_t *counted, uint64_t now)
{
	metrics_add(cell, now - *counted);
	*counted = now;
}

static void
note_sink(struct numbers *numbers, size_t index)
{
	const struct sink *sink = &numbers->sinks[index];
	struct numbers_sink *of = &numbers->of[index];
	uint64_t refused = sink->tally.refused - of->tally.refused;
	metrics_add(of->cells[SINK_LETTERS], refused);
	count(of->cells[SINK_REFUSED], &of->tally.refused, sink->tally.refused);
	count(of->cells[SINK_DELIVERED], &of->tally.delivered, sink->tally.delivered);
	count(of->cells[SINK_ERRORS], &of->tally.failures, sink->tally.failures);
	/* In one round there is one at most. */
	if (sink->tally.takings != of->tally.takings)
		metrics_observe(&of->seconds, (double)sink->took_ns / NUM_NS_PER_S);
	of->tally.takings = sink->tally.takings;
	metrics_set(of->cells[SINK_UP], sink_is_up(sink, numbers->journal));
	if (of->position != sink->position)
		numbers->has_moved = true;
}

static void
note_sent(struct numbers *numbers)
{
	for (size_t check = 0; check < SENT_CHECKS; check++) {
		for (size_t i = 0; i < SENT_SEVERITY_N; i++) {
			uint64_t *arrived = &numbers->sent.arrived[check][i];
			if (*arrived > 0)
				metrics_add(sent_cell(numbers, check, i), *arrived);
			*arrived = 0;
		}
	}
}

static void
note_journal(struct numbers *numbers)
{
	const struct journal_tally *now = &numbers->journal->tally;
	struct journal_tally *counted = &numbers->tally;
	count(numbers->spool[NUMBERS_STORED], &counted->stored, now->stored);
	count(numbers->spool[NUMBERS_ERRORS], &counted->failures, now->failures);
	count(numbers->dropped, &counted->dropped, now->dropped);
	if (numbers->last != journal_last(numbers->journal))
		numbers->has_moved = true;
}

/* --- what it costs something to know --- */

/* What is left for whom; `*all` becomes what is left for anybody, which is what is left for the sink that is furthest behind. What cannot be read stays as it was: then false. */
static bool
look_at_sinks(struct numbers *numbers, struct owed *all)
{
	bool is_known = true;
	*all = (struct owed){.events = 0};
	numbers->last = journal_last(numbers->journal);
	for (size_t i = 0; i < numbers->sink_count; i++) {
		const struct sink *sink = &numbers->sinks[i];
		struct numbers_sink *of = &numbers->of[i];
		struct owed owed;
		of->position = sink->position;
		if (!journal_measure(numbers->journal, sink->position, &owed)) {
			is_known = false;
			continue;
		}
		metrics_set(of->cells[SINK_UNDELIVERED], owed.events);
		/* For one that is gone for good nothing is kept. */
		if (sink->state != SINK_GONE && owed.events > all->events)
			*all = owed;
	}
	return is_known;
}

static void
look_at_spool(struct numbers *numbers)
{
	struct spool *spool = &numbers->journal->spool;
	uint64_t number;
	if (spoolsize_used_bytes(spool, &number) == DATABASE_OK)
		metrics_set(numbers->spool[NUMBERS_BYTES], number);
	if (spoolsize_letters(spool, &number) == DATABASE_OK)
		metrics_set(numbers->spool[NUMBERS_LETTERS], number);
}

static void
look(struct numbers *numbers)
{
	struct owed all;
	if (look_at_sinks(numbers, &all)) {
		uint64_t now_ns = clock_realtime_ns(), age_ns = 0;
		if (all.oldest_ns != 0 && now_ns > all.oldest_ns)
			age_ns = now_ns - all.oldest_ns;
		metrics_set(numbers->spool[NUMBERS_EVENTS], all.events);
		metrics_set_real(numbers->spool[NUMBERS_AGE], (double)age_ns / NUM_NS_PER_S);
	}
	if (journal_is_durable(numbers->journal) && spool_is_open(&numbers->journal->spool))
		look_at_spool(numbers);
}

/* --- rounds --- */

void
numbers_note(struct numbers *numbers, uint64_t now_ns)
{
	if (numbers->metrics == NULL)
		return;
	for (size_t i = 0; i < numbers->sink_count; i++)
		note_sink(numbers, i);
	note_sent(numbers);
	note_journal(numbers);
	if (now_ns < numbers->look_at_ns)
		return;
	numbers->look_at_ns = now_ns + LOOK_NS;
	look(numbers);
	numbers->has_moved = false;
}

uint64_t
numbers_wakes_at_ns(const struct numbers *numbers, uint64_t now_ns)
{
	if (numbers->metrics == NULL)
		return UINT64_MAX;
	return numbers->has_moved ? numbers->look_at_ns : now_ns + ROUND_NS;
}

void
numbers_finish(struct numbers *numbers, uint64_t now_ns)
{
	numbers->look_at_ns = 0;
	numbers_note(numbers, now_ns);
}

void
numbers_fini(struct numbers *numbers)
{
	free(numbers->of);
	*numbers = (struct numbers){.metrics = NULL};
}
