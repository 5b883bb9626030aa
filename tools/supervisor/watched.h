/* watched - what of a scan with roles will be monitored, and what will not. Pure. */
#ifndef SUPERVISOR_WATCHED_H
#define SUPERVISOR_WATCHED_H

#include "readiness.h"

/* Adds the findings of facts->scan, which is there. */
void watched_judge(struct readiness *readiness, const struct readiness_facts *facts);

#endif
