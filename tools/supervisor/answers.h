/* answers - what is answered to whom: /metrics, /healthz, /readyz and an index, made from a view of the service. */
#ifndef SUPERVISOR_ANSWERS_H
#define SUPERVISOR_ANSWERS_H

#include "health.h"
#include "httpd.h"
#include "self.h"

struct scrape;

struct answers {
	struct scrape *scrape;
	struct self self;
	char text[HEALTH_REASON_SIZE];
};

/* `started_realtime_ns`: when the service began, CLOCK_REALTIME. 0, or -1 with errno. */
int answers_init(struct answers *answers, uint64_t started_realtime_ns);
void answers_fini(struct answers *answers);

/* The answer to GET of a path; its text is good until the next call or answers_fini(). */
void answers_give(struct answers *answers, const struct service_view *view, const char *path,
	struct httpd_answer *out);

#endif
