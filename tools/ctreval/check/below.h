/* below - cards and rates of ports that are below their peers, and when that is an event
 * (spec#card-settle, spec#rate-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BELOW_H
#define CTREVAL_BELOW_H

#include "evaluation.h"

/* The result of one comparison. From BELOW_FIRST on the card or rate is below its peers. */
enum below_sight {
	BELOW_NOT_COMPARED, /* the scan is incomplete */
	/* absent, unreadable, without peers, or its peers give no verdict */
	BELOW_UNDECIDED,
	BELOW_NO_LINK, /* the link is not up or the port is absent, so it has no rate */
	BELOW_MEETS,   /* not below its peers */
	BELOW_FIRST,   /* below in the first verdicts */
	BELOW_YOUNG,   /* below, but not for settle_ns yet */
	/* as BELOW_FIRST or BELOW_SETTLED, but each missing port has a fatal event of its own, or
	 * is gone, alone or with its device */
	BELOW_COVERED,
	BELOW_SETTLED, /* below for settle_ns */
	BELOW_SIGHT_N,
};

enum below_action {
	BELOW_REPORT_NOTHING,
	BELOW_REPORT_FAULT,
	BELOW_REPORT_HEALTHY,
};

/* Update the memory by a sight and return what to report. */
enum below_action below_step(enum below_memory *memory, enum below_sight sight);

/* Classify something that is below its peers by how long it has been: BELOW_FIRST, BELOW_YOUNG or
 * BELOW_SETTLED. */
enum below_sight below_look(const struct evaluation *evaluation, const struct below *below);

/* Apply the sight as below_step(), and keep `since_ns`. */
enum below_action below_eval(
	struct evaluation *evaluation, struct below *below, enum below_sight sight);

#endif
