/* findings - what pre-flight has found, each in one line for people; and what a scan shows. Pure.
 */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_FINDINGS_H
#define SUPERVISOR_FINDINGS_H

#include "scan.h"

#include <stdbool.h>
#include <stddef.h>

/* The order is that of how bad it is. */
enum finding_severity {
	FINDING_FATAL,   /* the service does not start */
	FINDING_LOUD,    /* it starts, but cannot see or keep something that it is for */
	FINDING_WARNING, /* it starts, and somebody should look at this */
	FINDING_NOTE,
};

struct finding {
	enum finding_severity severity;
	int exit_code; /* if fatal */
	char *text;    /* one line */
	bool is_heard; /* it is a whole message of a stage already, with its name and level */
};

/* All zeros when there are none. */
struct findings {
	struct finding *items;
	size_t count, capacity;
	bool failed; /* memory ran out: something is missing */
};

/* Adds a finding, whose text, from malloc, is taken over; NULL: memory ran out. */
void findings_add(struct findings *findings, const struct finding *finding);

/* Adds one with this text. `exit_code` counts if it is fatal. */
void findings_report(struct findings *findings, enum finding_severity severity, int exit_code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The exit code of the first fatal finding, 0 when there is none. */
int findings_exit_code(const struct findings *findings);

void findings_fini(struct findings *findings);

/* Adds what a scan with roles shows: what will be monitored, and what will not. It was made below
 * `sysfs_root`, which has what every sysfs has if `is_sysfs`. */
void findings_eval_scan(
	struct findings *findings, const struct scan *scan, const char *sysfs_root, bool is_sysfs);

#endif
