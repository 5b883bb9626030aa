/* alertmanager - what stands on this node, told to an Alertmanager: it is told of what events have changed, and now and then of everything, since an alert that is not
 * renewed ends by itself. */
#ifndef EMIT_ALERTMANAGER_H
#define EMIT_ALERTMANAGER_H

#include "conditions.h"

/* An alert that is not renewed ends after so many times the time between renewals: one that is late, or lost, does no harm. */
#define ALERTMANAGER_LIVES 4

/* The body of a request for `range`, from malloc; NULL when there is nothing to tell, or, with another status than OK, when the spool cannot be read. */
char *alertmanager_encode_new(struct spool *spool, const struct conditions_range *range,
	size_t *length, enum database_status *status);

#endif
