/* explain - formats a decision about a group as a record: why a pattern was found or not. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORRELATE_EXPLAIN_H
#define CORRELATE_EXPLAIN_H

#include "engine.h"

/* Return the decision about a group of a node, to be released with json_decref(), or NULL when
 * memory ran out. `event` is the derived event, or NULL. */
json_t *explain_new(const char *node, const struct finding *finding, const json_t *event);

#endif
