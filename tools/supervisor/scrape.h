/* scrape - the metrics of all stages, and of the service itself, as one text for Prometheus. Pure:
 * pages in, text out. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SCRAPE_H
#define SUPERVISOR_SCRAPE_H

#include "health.h"
#include "metricspage.h"

/* The Content-Type of it. */
#define SCRAPE_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* More than 4,096 ports have to say. */
#define SCRAPE_MAX_BYTES ((size_t)64 << 20)

struct scrape;

/* NULL when memory runs out. */
struct scrape *scrape_new(void);
void scrape_free(struct scrape *scrape);

/* What `own` has, which is the service's own page, and then the pages of the view's stages in their
 * order. Families come in the order of their names, each once, with the help and type of the first
 * page that has it; its series are in the order of the pages. A stage that is not up shows only
 * what is METRICS_LASTING. Families whose name begins with nic_health_monitor_ or
 * syslog_health_monitor_ get the label `node`, before all others.
 *
 * A series that is not in Prometheus' form is left out, perhaps with those after it in its page: a
 * stage gone mad costs its own metrics, and not those of others.
 *
 * Returns the text, which is good until the next call or scrape_free(), and its length; NULL with
 * errno: ENOMEM, or EFBIG when it would be longer than SCRAPE_MAX_BYTES. */
const char *scrape_text(struct scrape *scrape, const struct service_view *view,
	const struct metrics_page *own, size_t *length);

#endif
