/* events - reads ibevent's records, passes them on in order between scans, and requests extra scans
 * of their devices (spec#extra-scans). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_EVENTS_H
#define IBSCAN_EVENTS_H

#include "glance.h"
#include "intake.h"

struct events {
	struct intake intake;
	int fd; /* -1: the events have ended */
	struct output *output;
	struct glance *glance;
	bool is_stage; /* of a service, which itself reports why the events ended */
};

/* Open `path`; `-` is stdin. Return 0, or the exit code after a message. */
int events_open(struct events *events, const char *path);

void events_close(struct events *events);

/* Wait for events until `until_ns` (CLOCK_MONOTONIC) or a stop request. Pass on those that arrive
 * and request extra scans of their devices. The end of the events is reported once and is no
 * failure: the scans continue. Return 0, or -1 with errno if a record could not be written. */
int events_wait(struct events *events, uint64_t until_ns);

/* Devices that a record is about. */
enum events_about {
	EVENTS_NOTHING, /* no port's state */
	EVENTS_DEVICE,  /* the state of `*device`, a string of the record, may have changed */
	EVENTS_ALL,     /* events were lost: any device may have changed */
};

/* Return which devices' states a record is about. `*device` is NULL unless it names one. Pure. */
enum events_about events_parse(const json_t *record, const char **device);

#endif
