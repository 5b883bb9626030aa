/* setting - settings of the evaluation, and its result. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_SETTING_H
#define CTREVAL_SETTING_H

#include "checks.h"
#include "counters.h"
#include "rx.h"
#include "silence.h"
#include "vendor.h"

#include <jansson.h>

struct eval_setting {
	const struct counter_list *counters;
	bool counter_detection;             /* false: port states only */
	bool fatal_counters_as_degradation; /* else they carry the state check's name */
	bool enabled[CHECK_N];
	bool issm_always; /* expect an issm node of each InfiniBand port; else ignore issm nodes */
	/* A card or port must be below its peers for this long. In the first verdicts this holds
	 * only for a card whose missing ports were up while these were deferred. */
	uint64_t settle_ns;
	/* a port that was healthy must be unhealthy for this long; 0: report at once */
	uint64_t hold_down_ns;
	/* Scans in a row without a device or port before it counts as gone. */
	unsigned confirm_scans;
	/* Time that a device may be gone as a non-fatal event while its PCI function is on the bus;
	 * 0: none. */
	uint64_t driver_reload_grace_ns;
	/* The first verdicts wait until the node has been up for this long; 0: they do not. */
	uint64_t boot_grace_ns;
	bool clear_check; /* a baseline begins with an event that clears the whole check */
	bool baselines;   /* a new boot owes a baseline */
	/* How long a read may take before it is a stall; 0: unlimited. And whether stall events are
	 * STORE_ONLY. */
	uint64_t poll_stall_deadline_ns;
	bool poll_stall_store_only;
	bool explain;                    /* append decision records */
	bool acts_on[VENDOR_N];          /* false: events about this vendor's NICs are STORE_ONLY */
	const struct silences *silences; /* operators' clear requests among them; nullable */
	/* Names of the monitored NICs; NULL or an empty `inclusion`: no such setting. */
	const struct rx_list *exclusion, *inclusion;
};

/* The result of one scan. */
struct eval_result {
	json_t *events;    /* array of event records, in order */
	json_t *notes;     /* array of strings: lines for stderr */
	json_t *decisions; /* update records, and with `explain` decision records */
	json_t *breaches;  /* those of the events that begin a counter's breach */
};

#endif
