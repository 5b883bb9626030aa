/* report - a summary as lines for people, or as a record for programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_REPORT_H
#define NICCHECK_REPORT_H

#include "summary.h"

#include <stdio.h>

/* The verdict and the worst finding in the first line, then the other findings, then what was
 * looked at. */
void report_text(const struct summary *summary, FILE *out);

/* The same without the node, and only the first line. */
void report_line(const struct summary *summary, FILE *out);

/* One object, see nic-health-monitor-records(5). NULL when memory runs out. */
json_t *report_json_new(const struct summary *summary);

#endif
