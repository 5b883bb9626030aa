/* summary - the verdict of one check of a node: events in, findings and a verdict out. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_SUMMARY_H
#define NICCHECK_SUMMARY_H

#include "rec.h"

/* The order is that in which they are shown. The first of these that there is decides the
 * verdict. */
enum finding_level {
	FINDING_FATAL,    /* a workload that uses it fails, or has failed */
	FINDING_DEGRADED, /* a workload goes on, worse */
	FINDING_UNKNOWN,  /* whether it is well cannot be told */
	FINDING_NOTE,     /* worth knowing; decides nothing */
	FINDING_LEVEL_N,
};

struct finding {
	enum finding_level level;
	json_t *event; /* what it comes from; NULL: the scan itself */
	json_t *text;  /* a string: one line for people */
	char *device;  /* nullable */
	int64_t port;  /* 0: not about one port */
};

struct summary {
	struct finding *findings;
	size_t count, capacity;
	size_t counts[FINDING_LEVEL_N];
	bool failed; /* memory ran out: something is missing */

	/* NICs that are lost: in how many scans each was; see lastscan.c */
	json_t *lost;

	/* of the last scan */
	json_t *node, *boot_id, *ts; /* strings or null */
	size_t devices, watched_ports, up_ports;
	bool roles; /* it has been through topoclass, with what that needs */
};

/* `node` is what the node is called as long as no scan says so. */
void summary_init(struct summary *summary, const char *node);
void summary_fini(struct summary *summary);

/* Adds the finding that an event is, or removes the one that it ends. In the order they were
 * written. */
void summary_event(struct summary *summary, json_t *event);

/* Adds something that was noticed on the way: about a device (nullable), or a port of it (0: about
 * none). */
void summary_add(struct summary *summary, enum finding_level level, const char *device,
	int64_t port, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Puts the findings into the order in which they are shown: by level, and what names a port before
 * what does not. Call it last. */
void summary_sort(struct summary *summary);

/* The worst level there is; FINDING_NOTE when nothing is wrong. */
enum finding_level summary_verdict(const struct summary *summary);

/* The exit code for it: 0 healthy, 1 fatal, 2 degraded, 3 unknown. */
int summary_exit_code(const struct summary *summary);

/* The same as a plugin of the node-problem-detector has it: 0 healthy, 1 not, 2 unknown. */
int summary_npd_code(const struct summary *summary);

#endif
