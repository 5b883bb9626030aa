/* ownmetrics - emit's own metrics (nic-health-monitor-metrics(5)), updated once per round of the
 * loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OWNMETRICS_H
#define EMIT_OWNMETRICS_H

#include "in/silencing.h"
#include "metrics.h"
#include "out/sink.h"
#include "store/journal.h"

struct own_metrics_sink;

/* Metrics of a spool. */
enum {
	OWN_METRICS_STORED,
	OWN_METRICS_ERRORS,
	OWN_METRICS_UP,
	OWN_METRICS_EVENTS,
	OWN_METRICS_AGE,
	OWN_METRICS_HELD,
	OWN_METRICS_HELD_AGE,
	OWN_METRICS_ANSWERED,
	OWN_METRICS_MISSING,
	OWN_METRICS_BYTES,
	OWN_METRICS_LETTERS,
	OWN_METRICS_SPOOL_N,
};

/* Metrics of silences. */
enum { OWN_METRICS_SILENCES, OWN_METRICS_SILENCED, OWN_METRICS_SILENCES_N };

/* If `metrics` is NULL, no metrics are exported, and the rest is unused. */
struct own_metrics {
	struct metrics *metrics;
	struct journal *journal;
	const struct silencing *silencing;
	struct sink *sinks;
	size_t sink_count;
	struct own_metrics_sink *of; /* per sink */
	struct sent sent;            /* of the sink that counts, not exported yet */
	struct metrics_cell *spool[OWN_METRICS_SPOOL_N], *dropped;
	struct metrics_cell *silences[OWN_METRICS_SILENCES_N];
	uint64_t silenced;          /* covered events exported so far */
	struct journal_tally tally; /* exported so far */
	uint64_t look_at_ns;        /* next update of the expensive metrics */
	uint64_t last;              /* journal_last() at that update */
	size_t held;                /* held events at that update */
	bool has_moved;             /* events arrived or were delivered since */
};

/* Keep all arguments; journal, silences and sinks must be open. Return 0, or -1 if memory runs out.
 * Call own_metrics_fini() in both cases. */
int own_metrics_init(struct own_metrics *own, struct metrics *metrics, struct journal *journal,
	const struct silencing *silencing, struct sink *sinks, size_t sink_count);

/* Export the changes at the end of a round. `now_ns` of CLOCK_MONOTONIC. */
void own_metrics_note(struct own_metrics *own, uint64_t now_ns);

/* Return when the next round has to end at the latest; UINT64_MAX: no limit. */
uint64_t own_metrics_wakes_at_ns(const struct own_metrics *own, uint64_t now_ns);

/* Export everything after the last round. */
void own_metrics_finish(struct own_metrics *own, uint64_t now_ns);

void own_metrics_fini(struct own_metrics *own);

#endif
