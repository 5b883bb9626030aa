/* events - ibevent's records: passed on between scans, in their order, and what they say of devices
 * (spec#extra-scans). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_EVENTS_H
#define IBSCAN_EVENTS_H

#include "glance.h"
#include "intake.h"

struct events {
	struct intake intake;
	int fd; /* -1: they have ended */
	struct output *output;
	struct glance *glance;
	bool is_stage; /* of a service, which knows why they end */
};

/* Opens `path`, of which `-` is stdin. 0, or the exit code to end with, which has been said. */
int events_open(struct events *events, const char *path);

void events_close(struct events *events);

/* Waits for events, but not beyond `until_ns` (CLOCK_MONOTONIC) nor a request to stop; passes on
 * what has come, and has devices looked at. The end of the events is said once, and is no failure:
 * the scans go on. 0, or -1 with errno: a record could not be passed on. */
int events_wait(struct events *events, uint64_t until_ns);

/* What a record says. */
enum events_about {
	EVENTS_NOTHING, /* that concerns the state of a port */
	EVENTS_DEVICE,  /* `*device`, which belongs to the record, may have changed */
	EVENTS_ALL,     /* events were lost: any device may have changed */
};

/* Pure. */
enum events_about events_parse(const json_t *record, const char **device);

#endif
