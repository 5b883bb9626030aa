/* countercheck - the counters of one port in one scan: SPEC section 4.1. */
#ifndef CTREVAL_COUNTERCHECK_H
#define CTREVAL_COUNTERCHECK_H

#include "evaluation.h"

/* Judges every counter that is watched, in the configuration's order; while the first verdicts wait, only looks. */
void countercheck_port(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

/* The baseline: a healthy event for every readable counter whose events carry this check's name. */
void countercheck_baseline(
	struct evaluation *evaluation, const struct scan_port *port, enum check check);

/* Says every fatal breach of the port that stands under this check again: a healthy event of the port has just hidden it. */
void countercheck_standing(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, enum check check);

/* True when this counter is judged: it is configured, and the check its events belong to is on. */
bool countercheck_is_watched(
	const struct eval_setting *setting, const struct counter_def *def, bool ethernet);

/* The value of a counter in a record, NULL when it has none. */
const json_t *countercheck_value(const struct scanrec_port *port, const struct counter_def *def);

#endif
