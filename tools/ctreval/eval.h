/* eval - one scan judged: ports, counters, rates, cards and devices in, events out. Pure: no I/O, no clock, no globals. */
#ifndef CTREVAL_EVAL_H
#define CTREVAL_EVAL_H

#include "check.h"
#include "counters.h"
#include "event.h"
#include "rx.h"
#include "scan.h"
#include "state.h"

/* Scans for which the first verdicts, and an owed baseline, wait for a complete one (SPEC section 4.2). */
#define EVAL_WAIT_SCANS 3

/* The rules. */
struct eval_setting {
	const struct counter_list *counters;
	bool counter_detection;             /* false: port states only */
	bool fatal_counters_as_degradation; /* else they carry the state check's name */
	bool enabled[CHECK_N];
	uint64_t
		settle_ns; /* how long a card or port is below its peers before that is said, after the first scan */
	unsigned confirm_scans; /* scans in a row without a device or port before that is said */
	bool clear_check;       /* a baseline begins with an event that clears the whole check */
	bool baselines;         /* a new boot owes a baseline */
	bool explain;           /* make decision records */
	/* Which NICs are monitored, by name; NULL, or an empty `inclusion`: no such setting. */
	const struct rx_list *exclusion, *inclusion;
};

/* What comes of one scan. */
struct eval_result {
	json_t *events;    /* array of event records, in order */
	json_t *notes;     /* array of strings: lines for stderr */
	json_t *decisions; /* array of decision records; empty unless wanted */
	json_t *breaches;  /* those of the events by which a counter's breach begins */
};

/* Judges a scan and updates `state`. 0, or -1 when memory ran out. `result` is the caller's to release in both cases. */
int eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

void eval_result_fini(struct eval_result *result);

#endif
