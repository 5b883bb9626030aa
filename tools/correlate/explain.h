/* explain - why a group of events was found to be a pattern, or was not, as a record. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_EXPLAIN_H
#define CORRELATE_EXPLAIN_H

#include "engine.h"

/* A decision about a node's group, to be given back with json_decref(). `event` is the event that
 * says so, nullable. NULL when memory ran out. */
json_t *explain_new(const char *node, const struct finding *finding, const json_t *event);

#endif
