/* conf - the configuration file of SPEC section 9, checked as a whole and read once. */
#ifndef NHM_CONF_H
#define NHM_CONF_H

#include "counters.h"
#include "rx.h"

#include <stdbool.h>

#define CONF_DEFAULT_PATH "/etc/nic-health-monitor/config.yaml"

struct conf {
	struct rx_list exclusion; /* nicExclusionRegex */
	struct rx_list inclusion; /* nicInclusionRegexOverride; empty: no override */
	struct counter_list counters;
	bool counter_detection;             /* counterDetection.enabled */
	bool fatal_counters_as_degradation; /* fatalCounterCheck: degradation */
};

/* Reads `path`, or the defaults when `path` is NULL and CONF_DEFAULT_PATH does not exist. Every problem is a line on
 * stderr. Returns 0, or the exit code to end with (EXIT_CONFIG; EXIT_NO_INPUT when the file cannot be opened;
 * EXIT_OS). Free with conf_fini() after 0. */
int conf_load(struct conf *conf, const char *path);

void conf_fini(struct conf *conf);

#endif
