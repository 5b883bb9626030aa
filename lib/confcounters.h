/* confcounters - the configuration's list of counters, by name those that are built in. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFCOUNTERS_H
#define NHM_CONFCOUNTERS_H

#include "confdoc.h"
#include "counters.h"

/* Parses `counterDetection.counters` (spec#configuration) from `node` into `list`, which has the
 * built-in counters. In YAML the items change and add counters. In TOML they are all the counters
 * there are to be: others are off. Mistakes are reported by confdoc_problem(). */
void confcounters_parse(struct confdoc *doc, yaml_node_t *node, struct counter_list *list);

#endif
