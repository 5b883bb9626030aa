/* ownmetrics - emit's metrics about itself (nic-health-monitor-metrics(5)), taken once a round from
 * what inputs, journal and sinks know anyway. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_OWNMETRICS_H
#define EMIT_OWNMETRICS_H

#include "in/silencing.h"
#include "metrics.h"
#include "out/sink.h"
#include "store/journal.h"

struct own_metrics_sink;

/* Of a spool. */
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

/* Of silences. */
enum { OWN_METRICS_SILENCES, OWN_METRICS_SILENCED, OWN_METRICS_SILENCES_N };

/* All but `metrics` are unused when that is NULL: nobody asks. */
struct own_metrics {
	struct metrics *metrics;
	struct journal *journal;
	const struct silencing *silencing;
	struct sink *sinks;
	size_t sink_count;
	struct own_metrics_sink *of; /* each sink's */
	struct sent sent;            /* at the sink that counts, and not in the page yet */
	struct metrics_cell *spool[OWN_METRICS_SPOOL_N], *dropped;
	struct metrics_cell *silences[OWN_METRICS_SILENCES_N];
	uint64_t silenced;          /* events that silences covered, as far as in the page */
	struct journal_tally tally; /* as far as it is in the page */
	uint64_t look_at_ns;        /* when to look again at what is expensive to find out */
	uint64_t last;              /* the journal's, at the last look */
	size_t held;                /* events that it held back then */
	bool has_moved;             /* events have come or gone since then */
};

/* Begins; everything is kept, the journal, the silences and the sinks being open. 0, or -1 when
 * memory ran out; own_metrics_fini() in both cases. */
int own_metrics_init(struct own_metrics *own, struct metrics *metrics, struct journal *journal,
	const struct silencing *silencing, struct sink *sinks, size_t sink_count);

/* A round is over: hands up what it has changed. `now_ns` of CLOCK_MONOTONIC. */
void own_metrics_note(struct own_metrics *own, uint64_t now_ns);

/* When a round should be over at the latest, UINT64_MAX: whenever it is. */
uint64_t own_metrics_wakes_at_ns(const struct own_metrics *own, uint64_t now_ns);

/* The last round is over. */
void own_metrics_finish(struct own_metrics *own, uint64_t now_ns);

void own_metrics_fini(struct own_metrics *own);

#endif
