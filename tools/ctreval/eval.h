/* eval - one scan judged: every monitored port's state and counters, events out. Pure: no I/O, no clock, no globals. */
#ifndef CTREVAL_EVAL_H
#define CTREVAL_EVAL_H

#include "counters.h"
#include "event.h"
#include "scan.h"
#include "state.h"

/* The checks, as bits of a set. */
enum check {
	CHECK_IB_STATE,
	CHECK_IB_DEGRADATION,
	CHECK_ETH_STATE,
	CHECK_ETH_DEGRADATION,
	CHECK_N,
};

/* InfiniBandStateCheck and so on. */
const char *check_name(enum check check);

struct eval_setting {
	const struct counter_list *counters;
	bool counter_detection;             /* false: port states only */
	bool fatal_counters_as_degradation; /* else they carry the state check's name */
	bool enabled[CHECK_N];
};

/* What comes of one scan. */
struct eval_result {
	json_t *events; /* array of event records, in order */
	json_t *notes;  /* array of strings: lines for stderr */
};

/* Judges a scan and updates `state`. 0, or -1 when memory ran out. `result` is the caller's to release in both cases. */
int eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

/* How many ports of a scan are judged at all: monitored ones, and none of a virtual function. */
size_t eval_judged_ports(const struct scan *scan);

/* Which of the enabled counters the monitored ports of a scan have, and which are on none of them: two lines of names,
 * each NULL when it would be empty. The strings are the caller's to free(). 0, or -1 when memory ran out. */
int eval_availability(const struct eval_setting *setting, const struct scan *scan, char **available,
	char **unavailable);

#endif
