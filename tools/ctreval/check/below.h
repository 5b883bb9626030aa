/* below - what is below its peers, a card or the rate of a port: when that is an event
 * (spec#card-settle, spec#rate-peers). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BELOW_H
#define CTREVAL_BELOW_H

#include "evaluation.h"

/* What one scan says about it; from BELOW_FIRST on it is below. */
enum below_sight {
	/* no verdict among its peers, something that cannot be read, or a torn scan */
	BELOW_NOT_COMPARED,
	BELOW_NO_LINK, /* the link is not up, or the port is not there: it has no rate */
	BELOW_MEETS,   /* not below its peers */
	BELOW_FIRST,   /* below, and this is the first scan */
	BELOW_YOUNG,   /* below, and not for long yet */
	BELOW_COVERED, /* below for long enough, but every missing port is fatal by itself */
	BELOW_SETTLED, /* below for long enough */
	BELOW_SIGHT_N,
};

enum below_action {
	BELOW_REPORT_NOTHING,
	BELOW_REPORT_FAULT,
	BELOW_REPORT_HEALTHY,
};

/* What to do about a sight, and what to remember. */
enum below_action below_step(enum below_memory *memory, enum below_sight sight);

/* How long what is below its peers has been so: BELOW_FIRST, BELOW_YOUNG or BELOW_SETTLED. */
enum below_sight below_look(const struct evaluation *evaluation, const struct below *below);

/* The step that the sight is, with the time since when it is below. */
enum below_action below_eval(
	struct evaluation *evaluation, struct below *below, enum below_sight sight);

#endif
