/* cmrec - checks and decodes ibevent's records of RDMA connection manager events
 * (records#asynchronous-events). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CMREC_H
#define NHM_CMREC_H

#include "rec.h"

/* Every string belongs to the record that it was decoded from. */
struct cmrec {
	const char *device; /* NULL: unknown */
	const char *cause;  /* local, remote, network or unknown */
	int64_t peers;      /* peers unreachable through the device within a minute; 0: unknown */
	uint64_t boottime_ns;
};

/* Return true for a record of this kind. */
bool cmrec_is(const json_t *record);

/* Decode a record. Return true, or false with `*error` if a member is missing or invalid. */
bool cmrec_decode(const json_t *record, struct cmrec *out, struct rec_error *error);

#endif
