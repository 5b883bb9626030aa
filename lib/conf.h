/* conf - the configuration file, checked as a whole and read once (spec#configuration). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CONF_H
#define NHM_CONF_H

#include "confcounters.h"
#include "confpatterns.h"
#include "confsinks.h"
#include "counters.h"
#include "rx.h"
#include "vendor.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CONF_DEFAULT_PATH "/etc/nic-health-monitor/config.yaml"
/* The original's default, which is read when CONF_DEFAULT_PATH is not there. */
#define CONF_DEFAULT_TOML "/etc/nic-health-monitor/config.toml"

struct conf {
	struct rx_list exclusion;              /* nicExclusionRegex */
	struct rx_list inclusion;              /* nicInclusionRegexOverride; empty: no override */
	char *exclusion_text, *inclusion_text; /* the same as they were written */
	bool acts_on[VENDOR_N];                /* vendors: whose events receivers are to act on */
	struct counter_list counters;
	bool counter_detection;                     /* counterDetection.enabled */
	struct conf_pattern patterns[LOGPATTERN_N]; /* nicDriverDetection.patterns */
	bool fatal_counters_as_degradation;         /* fatalCounterCheck: degradation */
	unsigned settle_seconds;                    /* homogeneity.settleSeconds */
	unsigned confirm_scans;                     /* disappearance.confirmScans */
	uint64_t driver_reload_grace_ns;            /* disappearance.driverReloadGrace; 0: off */
	bool clear_check;                           /* baseline.clearCheck */
	bool issm_always;                           /* charDeviceCheck.issm */
	uint64_t port_hold_down_ns;                 /* stateCheck.portStateHoldDown; 0: off */
	struct conf_sinks sinks;                    /* sinks */
	char *runbook_url;                          /* runbookUrl; NULL: not given */
	uint64_t interval_ns;                       /* interval; 0: not given */
	char *sysfs_root; /* of sysClassInfinibandPath and sysClassNetPath; NULL: not given */
};

/* The file that conf_load() reads: `path`, or, when that is NULL, CONF_DEFAULT_TOML if it is there
 * and CONF_DEFAULT_PATH is not, else CONF_DEFAULT_PATH. */
const char *conf_file(const char *path);

/* Reads conf_file(path), which is TOML when its name ends with `.toml`, and YAML otherwise; or the
 * defaults when `path` is NULL and neither file is there. Every problem is a line on stderr.
 * Returns 0, or the exit code to end with (EXIT_CONFIG; EXIT_NO_INPUT when the file cannot be
 * opened; EXIT_OS). Free with conf_fini() after 0. */
int conf_load(struct conf *conf, const char *path);

/* The same with a text of `length` bytes, in YAML, which messages call `name`. */
int conf_parse(struct conf *conf, const char *name, const char *text, size_t length);

/* True when it says by name which devices are monitored: its exclusions are not the default ones,
 * which name no RDMA device, or there is an override. */
bool conf_names_devices(const struct conf *conf);

/* Writes the rules that are in force as a configuration that gives the same ones: every counter and
 * every pattern in full, and everything else. 0, or -1 with errno. */
int conf_print(const struct conf *conf, FILE *out);

void conf_fini(struct conf *conf);

/* For --check-config: conf_load(), conf_print() to stdout. Returns 0, or the exit code
 * to end with; what went wrong has been said. */
int conf_show(const char *path);

#endif
