/* numbers - what logmatch hands up about itself, in a page of numbers. nic-health-monitor-metrics(5) has the families. */
#ifndef LOGMATCH_NUMBERS_H
#define LOGMATCH_NUMBERS_H

#include "logpattern.h"
#include "metrics.h"

/* All NULL, which counts nothing, without a page. */
struct numbers {
	struct metrics *metrics;
	struct metrics_cell *records,
		*malformed; /* of the log: taken, and not what they should be */
	struct metrics_cell *matches[LOGPATTERN_N];
	struct metrics_cell *gaps, *lost;
	struct metrics_cell *outbox;
};

/* `metrics` may be NULL, and is kept. */
void numbers_init(
	struct numbers *numbers, struct metrics *metrics, const bool enabled[LOGPATTERN_N]);

/* So many records of the log are missing. */
void numbers_count_gap(const struct numbers *numbers, uint64_t count);

/* What was read is dealt with; `outbox_events` are not acknowledged yet. */
void numbers_turn(const struct numbers *numbers, size_t outbox_events);

#endif
