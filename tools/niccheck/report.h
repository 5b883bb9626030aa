/* report - formats a summary as lines for people, or as a record. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_REPORT_H
#define NICCHECK_REPORT_H

#include "summary.h"

#include <stdio.h>

/* Print the verdict and the worst finding on the first line, then the other findings, then the
 * numbers of NICs and ports. If the node is healthy, the first line has the numbers. */
void report_text(const struct summary *summary, FILE *out);

/* Print only the first line, without the node. */
void report_line(const struct summary *summary, FILE *out);

/* Return an object, see nic-health-monitor-records(5); NULL when memory runs out. */
json_t *report_json_new(const struct summary *summary);

#endif
