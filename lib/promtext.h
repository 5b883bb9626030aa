/* promtext - pieces of Prometheus' text format: labels, and what a metric is and is for. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PROMTEXT_H
#define NHM_PROMTEXT_H

#include "metricskinds.h"
#include "strbuf.h"

/* Labels are begun, added one by one, and ended: `{device="mlx5_0",port="1"}`. Without any there is
 * nothing. A label's value is valid UTF-8; NULL is "". */
void promtext_begin_labels(struct strbuf *text);
void promtext_add_label(struct strbuf *text, const char *key, const char *value);
void promtext_end_labels(struct strbuf *text);

/* What stands behind a metric's `# TYPE`. */
extern const char *const promtext_types[METRICS_TYPE_N];

/* The sentence behind a metric's `# HELP`. */
void promtext_add_help(struct strbuf *text, const char *help);

#endif
