/* setting - the rules that scans are judged by, and what comes of one. */
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
	bool issm_always; /* each InfiniBand port should have a node issm; else nobody asks */
	/* how long a card or port is below its peers before that is said, after the first scan */
	uint64_t settle_ns;
	/* how long a port that was healthy is not before that is said; 0: not at all */
	uint64_t hold_down_ns;
	unsigned confirm_scans; /* scans in a row without a device or port before that is said */
	/* How long a device whose PCI function is on the bus may be gone before that is fatal; 0:
	 * not at all. */
	uint64_t driver_reload_grace_ns;
	bool clear_check; /* a baseline begins with an event that clears the whole check */
	bool baselines;   /* a new boot owes a baseline */
	/* How long a read may be under way before that is said; 0: as long as it likes. And whether
	 * receivers are only to store it. */
	uint64_t poll_stall_deadline_ns;
	bool poll_stall_store_only;
	bool explain;                    /* make decision records */
	bool acts_on[VENDOR_N];          /* whose events receivers are to act on */
	const struct silences *silences; /* what operators have cleared is among them; nullable */
	/* Which NICs are monitored, by name; NULL, or an empty `inclusion`: no such setting. */
	const struct rx_list *exclusion, *inclusion;
};

/* What comes of one scan. */
struct eval_result {
	json_t *events;    /* array of event records, in order */
	json_t *notes;     /* array of strings: lines for stderr */
	json_t *decisions; /* array of update records, and of decision records if they are wanted */
	json_t *breaches;  /* those of the events by which a counter's breach begins */
};

#endif
