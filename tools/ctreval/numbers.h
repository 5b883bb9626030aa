/* numbers - what ctreval hands up about itself and what it sees, in a page of numbers: it looks on, and decides nothing.
 *
 * Without a page it does nothing. nic-health-monitor-metrics(5) has the families. */
#ifndef CTREVAL_NUMBERS_H
#define CTREVAL_NUMBERS_H

#include "eval.h"
#include "metrics.h"
#include "tally.h"

struct numbers {
	struct metrics *metrics; /* NULL: nobody watches */
	const bool *enabled;     /* of each check */
	bool torn;               /* the last scan had lost a record */
	uint64_t port_set;       /* whose ports have been given their series */
	struct metrics_cell *discovered[CHECK_N], *monitored[TALLY_ROLE_N], *standing[2];
	struct metrics_cell *evaluated, *incomplete, *unreadable, *outbox;
	struct metrics_histogram scan_duration, evaluation_duration;
};

/* `metrics` may be NULL. Of the checks only those that are `enabled` look at anything. Both are kept. */
void numbers_init(struct numbers *numbers, struct metrics *metrics, const bool enabled[CHECK_N]);

/* What a scan has come to. */
struct numbers_scan {
	const struct scan *scan;
	const struct state *state; /* as the scan has left it */
	const struct eval_result *result;
	size_t outbox_events; /* that nobody has acknowledged, with the result's */
	uint64_t duration_ns; /* from the scan's last record to its last event */
};

/* Takes a scan whose state is stored, if need be, and whose events are written. */
void numbers_take(struct numbers *numbers, const struct numbers_scan *taken);

#endif
