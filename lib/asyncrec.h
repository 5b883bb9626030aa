/* asyncrec - ibevent's records of asynchronous events (records#asynchronous-events), checked and
 * decoded for the tools that read them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ASYNCREC_H
#define NHM_ASYNCREC_H

#include "rec.h"

/* Every string belongs to the record that it was decoded from. */
struct asyncrec {
	const char *device; /* NULL: not known, or none */
	const char *event;
	const char *via; /* the source: link, uevent, verbs or trace */
	const char *pci; /* NULL: it is not about a PCI function */
	bool removed;    /* the device was removed in good order */
	int64_t port;    /* 0: it is about no port */
	int64_t count;   /* how often it happened, 1 or more */
	uint64_t boottime_ns;
};

/* True for a record of this kind. */
bool asyncrec_is(const json_t *record);

/* True, or false with `*error` when the record is not what its kind promises. */
bool asyncrec_decode(const json_t *record, struct asyncrec *out, struct rec_error *error);

#endif
