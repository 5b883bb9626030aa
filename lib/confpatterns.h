/* confpatterns - the configuration's list of kernel log patterns, merged by name over the defaults. */
#ifndef NHM_CONFPATTERNS_H
#define NHM_CONFPATTERNS_H

#include "logpattern.h"
#include "yamldoc.h"

/* What may be set about a pattern. */
struct conf_pattern {
	bool enabled;
	const char *strategy; /* one of event_strategies; NULL: not set, it is the tool's */
};

/* All enabled; those that logpattern_is_extended() are STORE_ONLY, the others have no strategy set. */
void confpatterns_init(struct conf_pattern patterns[LOGPATTERN_N]);

/* Takes `nicDriverDetection.patterns` of SPEC section 9 from `node`; what is wrong with it is reported by yamldoc_problem(). */
void confpatterns_take(
	struct yamldoc *doc, yaml_node_t *node, struct conf_pattern patterns[LOGPATTERN_N]);

#endif
