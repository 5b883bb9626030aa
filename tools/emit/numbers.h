/* numbers - what emit hands up about itself (nic-health-monitor-metrics(5)): looked up once a round in what inputs, journal and sinks know anyway. */
#ifndef EMIT_NUMBERS_H
#define EMIT_NUMBERS_H

#include "journal.h"
#include "metrics.h"
#include "sink.h"

struct numbers_sink;

/* Of a spool. */
enum {
	NUMBERS_STORED,
	NUMBERS_ERRORS,
	NUMBERS_EVENTS,
	NUMBERS_AGE,
	NUMBERS_BYTES,
	NUMBERS_LETTERS,
	NUMBERS_SPOOL_N,
};

/* All but `metrics` are unused when that is NULL: nobody asks. */
struct numbers {
	struct metrics *metrics;
	struct journal *journal;
	struct sink *sinks;
	size_t sink_count;
	struct numbers_sink *of; /* each sink's */
	struct sent sent;        /* at the sink that counts, and not in the page yet */
	struct metrics_cell *spool[NUMBERS_SPOOL_N], *dropped;
	struct journal_tally tally; /* as far as it is in the page */
	uint64_t look_at_ns;        /* when to look again at what it costs something to know */
	uint64_t last;              /* the journal's, at the last look */
	bool has_moved;             /* events have come or gone since then */
};

/* Begins; everything is kept, the journal and the sinks being open. 0, or -1 when memory ran out; numbers_fini() in both cases. */
int numbers_init(struct numbers *numbers, struct metrics *metrics, struct journal *journal,
	struct sink *sinks, size_t sink_count);

/* A round is over: hands up what it has changed. `now_ns` of CLOCK_MONOTONIC. */
void numbers_note(struct numbers *numbers, uint64_t now_ns);

/* When a round should be over at the latest, UINT64_MAX: whenever it is. */
uint64_t numbers_wakes_at_ns(const struct numbers *numbers, uint64_t now_ns);

/* The last round is over. */
void numbers_finish(struct numbers *numbers, uint64_t now_ns);

void numbers_fini(struct numbers *numbers);

#endif
