/* conf - reads and validates the configuration file (spec#configuration). */
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
/* The original's default; read if CONF_DEFAULT_PATH does not exist. */
#define CONF_DEFAULT_TOML "/etc/nic-health-monitor/config.toml"

struct conf {
	struct rx_list exclusion;              /* nicExclusionRegex */
	struct rx_list inclusion;              /* nicInclusionRegexOverride; empty: no override */
	char *exclusion_text, *inclusion_text; /* their source text */
	bool acts_on[VENDOR_N];                /* vendors: receivers act on events of these */
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
	uint64_t boot_grace_ns;                     /* bootGrace; 0: off */
	char *sysfs_root; /* from sysClassInfinibandPath and sysClassNetPath; NULL: not given */
};

/* Return the file that conf_load() reads: `path` if not NULL; CONF_DEFAULT_TOML if it exists and
 * CONF_DEFAULT_PATH does not; else CONF_DEFAULT_PATH. */
const char *conf_file(const char *path);

/* Read conf_file(path): as TOML if its name ends with `.toml`, else as YAML. Use the defaults if
 * `path` is NULL and neither default file exists. Report every problem in a line on stderr. Return
 * 0, or the exit code to end with: EXIT_CONFIG; EXIT_NO_INPUT if the file does not exist;
 * EXIT_NO_PERMISSION if it may not be read, or others can write it; EXIT_OS; EXIT_IO. Free with
 * conf_fini() after 0. */
int conf_load(struct conf *conf, const char *path);

/* Parse a YAML text of `length` bytes instead; messages call it `name`. */
int conf_parse(struct conf *conf, const char *name, const char *text, size_t length);

/* Return true if the configuration selects devices by name: nicExclusionRegex is not the default,
 * which matches no RDMA device, or there is an override. */
bool conf_names_devices(const struct conf *conf);

/* Write the rules in force as a complete configuration, with every counter and every pattern in
 * full. Return 0, or -1 with errno. */
int conf_print(const struct conf *conf, FILE *out);

void conf_fini(struct conf *conf);

/* Run --check-config: conf_load(), then conf_print() to stdout. Reports errors; returns 0 or the
 * exit code to end with. */
int conf_show(const char *path);

#endif
