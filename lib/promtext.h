/* promtext - writes parts of the Prometheus text format: labels, types and help texts. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PROMTEXT_H
#define NHM_PROMTEXT_H

#include "metricskinds.h"
#include "strbuf.h"

/* Write labels: begin, add each, end: `{device="mlx5_0",port="1"}`. Without labels, write nothing.
 * A value is valid UTF-8; NULL is "". */
void promtext_begin_labels(struct strbuf *text);
void promtext_add_label(struct strbuf *text, const char *key, const char *value);
void promtext_end_labels(struct strbuf *text);

/* Names of types for `# TYPE`. */
extern const char *const promtext_types[METRICS_TYPE_N];

/* Append the text for `# HELP`, escaped. */
void promtext_add_help(struct strbuf *text, const char *help);

#endif
