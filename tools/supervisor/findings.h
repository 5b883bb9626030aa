/* findings - a list of pre-flight findings, each one line; evaluates a scan. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_FINDINGS_H
#define SUPERVISOR_FINDINGS_H

#include "scan.h"

#include <stdbool.h>
#include <stddef.h>

/* Sorted from worst to mildest. */
enum finding_severity {
	FINDING_FATAL,   /* the service does not start */
	FINDING_LOUD,    /* it starts, but cannot see or store something essential */
	FINDING_WARNING, /* it starts, but an operator should look at this */
	FINDING_NOTE,
};

struct finding {
	enum finding_severity severity;
	int exit_code; /* if fatal */
	char *text;    /* one line */
	bool is_heard; /* the text is a complete message of a stage, with its name and level */
};

/* All zeros: no findings. */
struct findings {
	struct finding *items;
	size_t count, capacity;
	bool failed; /* memory ran out: a finding is missing */
};

/* Add a finding and take ownership of its text, which is from malloc; NULL if memory ran out. */
void findings_add(struct findings *findings, const struct finding *finding);

/* Add a finding with this text. `exit_code` matters only for FINDING_FATAL. */
void findings_report(struct findings *findings, enum finding_severity severity, int exit_code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Return the exit code of the first fatal finding, or 0. */
int findings_exit_code(const struct findings *findings);

void findings_fini(struct findings *findings);

/* Add findings about a scan with roles: what will be monitored, and what will not. The scan was
 * made below `sysfs_root`; `is_sysfs`: that directory has what every sysfs has. */
void findings_eval_scan(
	struct findings *findings, const struct scan *scan, const char *sysfs_root, bool is_sysfs);

#endif
