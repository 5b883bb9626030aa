/* summary - the verdict of one check of a node: events in, findings and a verdict out. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICCHECK_SUMMARY_H
#define NICCHECK_SUMMARY_H

#include "rec.h"

/* In the order of the output. The first level that has a finding is the verdict. */
enum finding_level {
	FINDING_FATAL,    /* a workload that uses the NIC fails, or has failed */
	FINDING_DEGRADED, /* a workload runs, but worse */
	FINDING_UNKNOWN,  /* its health is not known */
	FINDING_NOTE,     /* worth knowing; does not change the verdict */
	FINDING_LEVEL_N,
};

struct finding {
	enum finding_level level;
	json_t *event; /* the event that reports it; NULL: none */
	json_t *text;  /* a string: one line for people */
	char *device;  /* nullable */
	int64_t port;  /* 0: not about one port */
};

struct summary {
	struct finding *findings;
	size_t count, capacity;
	size_t counts[FINDING_LEVEL_N];
	bool failed; /* memory ran out: findings are missing */

	/* lost NICs, each with the number of scans that lacked it; see lastscan.c */
	json_t *lost;

	/* of the last scan */
	json_t *node, *boot_id, *ts; /* strings or null */
	size_t devices;              /* without parts of others */
	size_t nics;                 /* the same, and without virtual functions */
	size_t watched_ports, up_ports;
	bool roles; /* topoclass had what it needs to find the roles */
};

/* Initialize an empty summary. `node` is the node's name until a scan has it. */
void summary_init(struct summary *summary, const char *node);
void summary_fini(struct summary *summary);

/* Add the finding of an event, or remove the one that a healthy event ends. Call it in the order of
 * the events. */
void summary_event(struct summary *summary, json_t *event);

/* Add a finding that is no event, about a device (may be NULL) or a port of it (0: none). */
void summary_add(struct summary *summary, enum finding_level level, const char *device,
	int64_t port, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Sort the findings for the output: by level, and those about a port first. Call it last. */
void summary_sort(struct summary *summary);

/* Return the worst level of the findings; FINDING_NOTE if nothing is wrong. */
enum finding_level summary_verdict(const struct summary *summary);

/* Return the exit code of the verdict: 0 healthy, 1 fatal, 2 degraded, 3 unknown. */
int summary_exit_code(const struct summary *summary);

/* Return the exit code for the node-problem-detector: 0 healthy, 1 not healthy, 2 unknown. */
int summary_npd_code(const struct summary *summary);

#endif
