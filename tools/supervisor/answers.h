/* answers - the HTTP pages: /metrics, /healthz, /readyz, index. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_ANSWERS_H
#define SUPERVISOR_ANSWERS_H

#include "health.h"
#include "httpd.h"
#include "metricspage.h"

/* The service's own metrics, in a page like those of the stages. */
struct answers_self {
	struct metrics_page page;
	struct metrics *metrics;
	uint64_t started_realtime_ns;
};

/* `started_realtime_ns`: when the service started, CLOCK_REALTIME. Return 0, or -1 with errno. */
int answers_init_self(struct answers_self *self, uint64_t started_realtime_ns);
void answers_fini_self(struct answers_self *self);

/* Set all metrics from the view. */
void answers_update_self(struct answers_self *self, const struct service_view *view);

struct scrape;

struct answers {
	struct scrape *scrape;
	struct answers_self self;
	char text[HEALTH_REASON_SIZE];
};

/* `started_realtime_ns`: when the service started, CLOCK_REALTIME. Return 0, or -1 with errno. */
int answers_init(struct answers *answers, uint64_t started_realtime_ns);
void answers_fini(struct answers *answers);

/* Fill `out` with the response to a GET of `path`. Its text is valid until the next call or
 * answers_fini(). */
void answers_give(struct answers *answers, const struct service_view *view, const char *path,
	struct httpd_answer *out);

#endif
