/* confpatterns - parses the configuration's list of kernel log patterns and merges it by name over
 * the defaults. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFPATTERNS_H
#define NHM_CONFPATTERNS_H

#include "confdoc.h"
#include "logpattern.h"

/* Settings of a pattern. */
struct conf_pattern {
	bool enabled;
	const char *strategy; /* of event_strategies; NULL: the tool's default */
};

/* Set the defaults: all patterns enabled; those that logpattern_is_extended() are STORE_ONLY, the
 * others have no strategy. */
void confpatterns_init(struct conf_pattern patterns[LOGPATTERN_N]);

/* Parse `nicDriverDetection.patterns` (spec#configuration) from `node`. Report mistakes with
 * confdoc_problem(). */
void confpatterns_parse(
	struct confdoc *doc, yaml_node_t *node, struct conf_pattern patterns[LOGPATTERN_N]);

#endif
