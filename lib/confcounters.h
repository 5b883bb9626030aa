/* confcounters - the configuration's list of counters, merged by name over the built-in ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFCOUNTERS_H
#define NHM_CONFCOUNTERS_H

#include "confdoc.h"
#include "counters.h"

/* Names, with commas; NULL: none. */
struct confcounters {
	char *left_out; /* enabled ones that only the original knows */
	char *unnamed;  /* enabled ones that the list does not name */
};

/* Parses `counterDetection.counters` (spec#configuration) from `node` into `list`. Mistakes are
 * reported by confdoc_problem(). `*lists` begins as {0} and is freed with confcounters_fini(). */
void confcounters_parse(struct confdoc *doc, yaml_node_t *node, struct counter_list *list,
	struct confcounters *lists);

void confcounters_fini(struct confcounters *lists);

#endif
