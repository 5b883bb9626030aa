/* conf - the configuration file of SPEC section 9, checked as a whole and read once. */
#ifndef NHM_CONF_H
#define NHM_CONF_H

#include "confpatterns.h"
#include "counters.h"
#include "rx.h"

#include <stdbool.h>
#include <stdio.h>

#define CONF_DEFAULT_PATH "/etc/nic-health-monitor/config.yaml"

struct conf {
	struct rx_list exclusion;              /* nicExclusionRegex */
	struct rx_list inclusion;              /* nicInclusionRegexOverride; empty: no override */
	char *exclusion_text, *inclusion_text; /* the same as they were written */
	struct counter_list counters;
	bool counter_detection;                     /* counterDetection.enabled */
	struct conf_pattern patterns[LOGPATTERN_N]; /* nicDriverDetection.patterns */
	bool fatal_counters_as_degradation;         /* fatalCounterCheck: degradation */
	unsigned settle_seconds;                    /* homogeneity.settleSeconds */
	unsigned confirm_scans;                     /* disappearance.confirmScans */
	bool clear_check;                           /* baseline.clearCheck */
	char *sysfs_root; /* of sysClassInfinibandPath and sysClassNetPath; NULL: not given */
	char *left_out; /* enabled counters that only the original knows, with commas; NULL: none */
};

/* Reads `path`, or the defaults when `path` is NULL and CONF_DEFAULT_PATH does not exist. Every problem is a line on
 * stderr. Returns 0, or the exit code to end with (EXIT_CONFIG; EXIT_NO_INPUT when the file cannot be opened;
 * EXIT_OS). Free with conf_fini() after 0. */
int conf_load(struct conf *conf, const char *path);

/* The same for a copy of a file, which must be there; messages name the file. */
int conf_load_as(struct conf *conf, const char *path, const char *name);

/* Writes the rules that are in force as a configuration that gives the same ones: every counter and every pattern in full, and everything else. 0, or -1
 * with errno. */
int conf_print(const struct conf *conf, FILE *out);

/* Warns about what the file asks for, and is left out. */
void conf_warn(const struct conf *conf);

void conf_fini(struct conf *conf);

/* For --check-config: conf_load(), conf_warn(), conf_print() to stdout. Returns 0, or the exit code to end with; what went wrong has been said. */
int conf_show(const char *path);

#endif
