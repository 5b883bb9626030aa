/* asyncrec - checks and decodes ibevent's records of asynchronous events
 * (records#asynchronous-events). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ASYNCREC_H
#define NHM_ASYNCREC_H

#include "rec.h"

/* Every string belongs to the record that it was decoded from. */
struct asyncrec {
	const char *device; /* NULL: unknown, or none */
	const char *event;
	const char *via; /* the source: link, uevent, verbs or trace */
	const char *pci; /* NULL: not about a PCI function */
	bool removed;    /* the device was removed in an orderly way */
	int64_t port;    /* 0: not about a port */
	int64_t count;   /* number of occurrences, 1 or more */
	uint64_t boottime_ns;
};

/* Return true for a record of this kind. */
bool asyncrec_is(const json_t *record);

/* Decode a record. Return true, or false with `*error` if a member is missing or invalid. */
bool asyncrec_decode(const json_t *record, struct asyncrec *out, struct rec_error *error);

#endif
