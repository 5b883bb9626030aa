/* device - what is said of a device: that it is gone, back, unreadable, readable again; and the
 * devices that a scan has (spec#device-gone, spec#device-unreadable). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_DEVICE_H
#define CTREVAL_DEVICE_H

#include "evaluation.h"

/* So many scans in a row cannot read a device before that is said (spec#device-unreadable). */
#define DEVICE_UNREADABLE_SCANS 3

/* What the scans so far say about a device. */
enum device_sight {
	DEVICE_SEEN_HEALTHY,     /* read in full, and a port of it is healthy */
	DEVICE_SEEN,             /* read in full */
	DEVICE_UNREADABLE,       /* listed, but not read in full, and not for long yet */
	DEVICE_STILL_UNREADABLE, /* the same for DEVICE_UNREADABLE_SCANS scans */
	DEVICE_MISSING, /* not listed, but not often enough yet, or in a scan that is no evidence */
	DEVICE_CONFIRMED_MISSING,
	DEVICE_SIGHT_N,
};

/* What to say, as bits. */
enum device_action {
	DEVICE_REPORT_NOTHING = 0,
	DEVICE_REPORT_GONE = 1,
	DEVICE_REPORT_BACK = 2,
	DEVICE_REPORT_UNREADABLE = 4,
	DEVICE_REPORT_READABLE = 8,
};

/* What to do about a sight, and what to remember. */
unsigned device_step(enum device_memory *memory, enum device_sight sight);

/* What a scan without a device says of it. */
struct device_absence {
	enum scanrec_function where; /* its PCI function */
	/* what has its function instead: a bond, or the NIC that it was a part of; NULL: none */
	const struct scan_device *instead;
	bool confirmed; /* gone in enough scans, or for good */
	bool in_grace;  /* its function is on the bus, and has some time left to get a driver */
};

/* Reports that the device is gone, and lends the event. An absence that may still end well is
 * reported as non-fatal, and as fatal if it does not end. */
const json_t *device_report_gone(struct evaluation *evaluation, struct device_entry *entry,
	const struct device_absence *absence);

/* Judges a device that was seen so; `error` is why it could not be read, `absence` counts where it
 * is missing. The event that came of it; NULL: none. */
const json_t *device_eval_sight(struct evaluation *evaluation, struct device_entry *entry,
	enum device_sight sight, const char *error, const struct device_absence *absence);

/* Judges every device that the scan has; while the first verdicts wait, only looks. */
void device_eval(struct evaluation *evaluation);

/* Explains why the devices that are not watched are not. */
void device_explain_others(struct evaluation *evaluation);

#endif
