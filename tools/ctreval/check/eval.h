/* eval - evaluates one scan: ports, counters, rates, cards and devices in, events out. Pure: no
 * I/O, no clock, no globals. */
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

/* The first verdicts and an owed baseline wait at most this many scans for a complete one
 * (spec#first-verdicts). */
#define EVAL_WAIT_SCANS 3

/* Evaluate a scan and update `state`. Return 0, or -1 when memory ran out. In both cases the caller
 * must free `result` with eval_result_fini(). */
int eval_scan(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

/* Evaluate the port states of an extra scan; returns as eval_scan(). Everything else waits for the
 * next scan, and so do ports that the last scan did not have, or whose device is reported as
 * gone. */
int eval_extra(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scan *scan, struct eval_result *result);

/* Record what happened since the last scan; the next scan's evaluation uses it. */
void eval_async(struct state *state, const struct asyncrec *event);
void eval_cm(struct state *state, const struct cmrec *event);
void eval_lnet(struct state *state, enum lnetrec_kind kind, const struct lnetrec *record);

/* Evaluate a stalled scan; returns as eval_scan(). */
int eval_stall(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const struct scanrec_stall *stall, struct eval_result *result);

void eval_result_fini(struct eval_result *result);

#endif
