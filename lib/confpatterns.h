/* confpatterns - the configuration's list of kernel log patterns, merged by name over the
 * defaults. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONFPATTERNS_H
#define NHM_CONFPATTERNS_H

#include "confdoc.h"
#include "logpattern.h"

/* What may be set about a pattern. */
struct conf_pattern {
	bool enabled;
	const char *strategy; /* one of event_strategies; NULL: not set, it is the tool's */
};

/* All enabled; those that logpattern_is_extended() are STORE_ONLY, the others have no strategy
 * set. */
void confpatterns_init(struct conf_pattern patterns[LOGPATTERN_N]);

/* Parses `nicDriverDetection.patterns` (spec#configuration) from `node`. Mistakes are reported by
 * confdoc_problem(). */
void confpatterns_parse(
	struct confdoc *doc, yaml_node_t *node, struct conf_pattern patterns[LOGPATTERN_N]);

#endif
