/* chardev - InfiniBand character devices: when one is reported as missing, and the baseline of this
 * check (spec#character-devices). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CHARDEV_H
#define CTREVAL_CHARDEV_H

#include "evaluation.h"

enum chardev_action {
	CHARDEV_REPORT_NOTHING,
	CHARDEV_REPORT_MISSING,
	CHARDEV_REPORT_BACK,
};

/* Counts one sight of a node, missing or present, and returns what to report. `reported`: an event
 * that it is missing stands. */
enum chardev_action chardev_step(unsigned *missing, bool reported, enum chardev_sight sight);

/* Judges the nodes of each watched InfiniBand port and its device, and gives the baseline that the
 * check owes as soon as everything can be seen. A scan that does not show all of these nodes, as
 * when a class directory cannot be listed, is skipped. While the first verdicts wait, only
 * counts. */
void chardev_eval(struct evaluation *evaluation);

#endif
