/* answers - the answers of HTTP: /metrics, /healthz, /readyz and an index, made from a view of the
 * service. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_ANSWERS_H
#define SUPERVISOR_ANSWERS_H

#include "health.h"
#include "httpd.h"
#include "metricspage.h"

/* The metrics of the service itself, in a page like those of its stages. */
struct answers_self {
	struct metrics_page page;
	struct metrics *metrics;
	uint64_t started_realtime_ns;
};

/* `started_realtime_ns`: when the service began, CLOCK_REALTIME. 0, or -1 with errno. */
int answers_init_self(struct answers_self *self, uint64_t started_realtime_ns);
void answers_fini_self(struct answers_self *self);

/* Sets all of them to what the view says. */
void answers_update_self(struct answers_self *self, const struct service_view *view);

struct scrape;

struct answers {
	struct scrape *scrape;
	struct answers_self self;
	char text[HEALTH_REASON_SIZE];
};

/* `started_realtime_ns`: when the service began, CLOCK_REALTIME. 0, or -1 with errno. */
int answers_init(struct answers *answers, uint64_t started_realtime_ns);
void answers_fini(struct answers *answers);

/* The answer to GET of a path; its text is good until the next call or answers_fini(). */
void answers_give(struct answers *answers, const struct service_view *view, const char *path,
	struct httpd_answer *out);

#endif
