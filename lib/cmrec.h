/* cmrec - ibevent's records of the RDMA connection manager's events (records#asynchronous-events),
 * checked and decoded for the tools that read them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_CMREC_H
#define NHM_CMREC_H

#include "rec.h"

/* Every string belongs to the record that it was decoded from. */
struct cmrec {
	const char *device; /* NULL: not known */
	const char *cause;  /* local, remote, network or unknown */
	int64_t peers;      /* that could not be reached through it within a minute; 0: not known */
	uint64_t boottime_ns;
};

/* True for a record of this kind. */
bool cmrec_is(const json_t *record);

/* True, or false with `*error` when the record is not what its kind promises. */
bool cmrec_decode(const json_t *record, struct cmrec *out, struct rec_error *error);

#endif
