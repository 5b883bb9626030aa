/* confcounters - parses the configuration's list of counters and merges it by name over the
 * built-in ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFCOUNTERS_H
#define NHM_CONFCOUNTERS_H

#include "confdoc.h"
#include "counters.h"

/* Parse `counterDetection.counters` (spec#configuration) from `node` into `list`, which already has
 * the built-in counters. In YAML the items change or add counters. In TOML they replace the list:
 * all other counters are off. Report mistakes with confdoc_problem(). */
void confcounters_parse(struct confdoc *doc, yaml_node_t *node, struct counter_list *list);

#endif
