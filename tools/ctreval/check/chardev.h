/* chardev - missing InfiniBand character devices, and the baseline of their check
 * (spec#character-devices). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CHARDEV_H
#define CTREVAL_CHARDEV_H

#include "evaluation.h"

enum chardev_action {
	CHARDEV_REPORT_NOTHING,
	CHARDEV_REPORT_MISSING,
	CHARDEV_REPORT_BACK,
};

/* Count one sight of a node, missing or present, and return what to report. `reported`: a missing
 * event is open. */
enum chardev_action chardev_step(unsigned *missing, bool reported, enum chardev_sight sight);

/* Evaluate the nodes of each watched InfiniBand port and its device, and send an owed baseline once
 * everything is readable. Skips a scan that does not show all of these nodes, as when a class
 * directory cannot be listed. While the first verdicts are deferred, only counts. */
void chardev_eval(struct evaluation *evaluation);

#endif
