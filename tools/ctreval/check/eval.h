/* eval - one scan judged: ports, counters, rates, cards and devices in, events out. Pure: no I/O,
 * no clock, no globals. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_EVAL_H
#define CTREVAL_EVAL_H

#include "../state/state.h"
#include "asyncrec.h"
#include "cmrec.h"
#include "event.h"
#include "lnetrec.h"
#include "scan.h"
#include "setting.h"

/* For so many scans the first verdicts and an owed baseline wait for a complete one
 * (spec#first-verdicts). */
#define EVAL_WAIT_SCANS 3

/* Judges a scan and updates `state`. 0, or -1 when memory ran out. `result` is the caller's to
 * release in both cases. */
int eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

/* Judges the states of those ports that an extra scan has, in the same way. All else waits for the
 * next scan, and so does a port that was not in the scan before. */
int eval_extra(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

/* Takes in what has happened since the last scan: the next one is judged with it. */
void eval_async(struct state *state, const struct asyncrec *event);
void eval_cm(struct state *state, const struct cmrec *event);
void eval_lnet(struct state *state, enum lnetrec_kind kind, const struct lnetrec *record);

/* Judges a scan that does not get on, in the same way. */
int eval_stall(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scanrec_stall *stall, struct eval_result *result);

void eval_result_fini(struct eval_result *result);

#endif
