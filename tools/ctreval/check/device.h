/* device - events about a device: gone, back, unreadable, readable again; and the devices in a scan
 * (spec#device-gone, spec#device-unreadable). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_DEVICE_H
#define CTREVAL_DEVICE_H

#include "evaluation.h"

/* A device is reported after this many scans in a row that could not read it
 * (spec#device-unreadable). */
#define DEVICE_UNREADABLE_SCANS 3

/* The result of the scans so far for a device. */
enum device_sight {
	/* read in full; was gone or reloading, and is back: with a healthy port, or with its ports
	 * as they were before */
	DEVICE_SEEN_HEALTHY,
	DEVICE_SEEN,             /* read in full */
	DEVICE_UNREADABLE,       /* listed, but not read in full */
	DEVICE_STILL_UNREADABLE, /* the same in DEVICE_UNREADABLE_SCANS scans in a row */
	DEVICE_MISSING, /* not listed, but not often enough yet, or the scan proves nothing */
	DEVICE_CONFIRMED_MISSING,
	DEVICE_SIGHT_N,
};

/* What to report, as bits. */
enum device_action {
	DEVICE_REPORT_NOTHING = 0,
	DEVICE_REPORT_GONE = 1,
	DEVICE_REPORT_BACK = 2,
	DEVICE_REPORT_UNREADABLE = 4,
	DEVICE_REPORT_READABLE = 8,
};

/* Update the memory by a sight and return what to report. */
unsigned device_step(enum device_memory *memory, enum device_sight sight);

/* Where a device went that the scan does not have. */
struct device_absence {
	enum scanrec_function where; /* its PCI function */
	/* device that has its PCI function now: a bond, or the NIC that it was a part of; NULL:
	 * none */
	const struct scan_device *instead;
	const char *driver; /* to which its PCI function was passed on; NULL: none */
	bool elsewhere;     /* it is in another network namespace */
	bool confirmed;     /* absent in enough scans, or its function left the bus */
	bool in_grace;      /* its function is on the bus, and driver_reload_grace_ns is not over */
};

/* Report the device as gone and return the event, borrowed. The event is non-fatal while
 * absence->in_grace is true. `absence` NULL: it is listed again, but without a healthy port, and
 * grace_is_running() counts. */
const json_t *device_report_gone(struct evaluation *evaluation, struct device_entry *entry,
	const struct device_absence *absence);

/* Apply a sight to a device. `error`: why it is unreadable; `absence`: as for
 * device_report_gone(), used if `sight` is DEVICE_CONFIRMED_MISSING. Return the event, or NULL. */
const json_t *device_eval_sight(struct evaluation *evaluation, struct device_entry *entry,
	enum device_sight sight, const char *error, const struct device_absence *absence);

/* Evaluate every device of the scan; while the first verdicts are deferred, only record whether a
 * driver's reload is over. */
void device_eval(struct evaluation *evaluation);

/* Append decision records that say why devices are not watched. */
void device_explain_others(struct evaluation *evaluation);

#endif
