/* confcounters - the configuration's list of counters, merged by name over the built-in ones. */
#ifndef NHM_CONFCOUNTERS_H
#define NHM_CONFCOUNTERS_H

#include "counters.h"
#include "yamldoc.h"

/* Takes `counterDetection.counters` of SPEC section 9 from `node`; what is wrong with it is reported by yamldoc_problem(). The names of enabled counters that only the
 * original knows are added to `*left_out`, from malloc, with commas; NULL: none. */
void confcounters_take(
	struct yamldoc *doc, yaml_node_t *node, struct counter_list *list, char **left_out);

#endif
