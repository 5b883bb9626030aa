/* scrape - formats the metrics of all stages and of the service as one text for Prometheus.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SCRAPE_H
#define SUPERVISOR_SCRAPE_H

#include "health.h"
#include "metricspage.h"

/* Content-Type of the text. */
#define SCRAPE_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Maximum length of the text: more than 4,096 ports need. */
#define SCRAPE_MAX_BYTES ((size_t)64 << 20)

struct scrape;

/* Return NULL if memory runs out. */
struct scrape *scrape_new(void);
void scrape_free(struct scrape *scrape);

/* Format the metrics of `own`, the service's page, and then of the pages of the view's stages in
 * their order. Families are sorted by name. Each appears once, with the help and type of the first
 * page that has it; its series are in the order of the pages. Of a stage that is not up, only
 * METRICS_LASTING families appear. Families whose name begins with nic_health_monitor_ or
 * syslog_health_monitor_ get the label `node` before all others.
 *
 * Series that are not in Prometheus' format are left out, perhaps with those after them in the same
 * page: a broken stage costs its own metrics, but not those of other stages.
 *
 * Return the text, which is valid until the next call or scrape_free(), and its length; NULL with
 * errno: ENOMEM, or EFBIG if it would be longer than SCRAPE_MAX_BYTES. */
const char *scrape_text(struct scrape *scrape, const struct service_view *view,
	const struct metrics_page *own, size_t *length);

#endif
