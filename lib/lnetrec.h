/* lnetrec - lnetread's records of LNet (records#records-of-lnet), checked and decoded for the tools
 * that read them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LNETREC_H
#define NHM_LNETREC_H

#include "rec.h"

enum lnetrec_kind { LNETREC_NI, LNETREC_PEERS, LNETREC_STATS, LNETREC_END, LNETREC_OTHER };

/* Longest name of a net, such as o2ib or tcp1. */
#define LNETREC_NET_MAX_BYTES 31

/* Strings belong to the record that they were decoded from. */
struct lnetrec {
	uint64_t boottime_ns;
	/* lnet.ni */
	const char *net;
	const char *netdev;     /* NULL: the net has no interfaces */
	bool fatal_error;       /* its driver reported that the port or device failed */
	const json_t *counters; /* NULL: there are none; not of lnet.end */
	bool complete;          /* lnet.end: what has no record is not there */
};

enum lnetrec_kind lnetrec_kind(const json_t *record);

/* True, or false with `*error` when the record is not what its kind promises. */
bool lnetrec_decode(
	const json_t *record, enum lnetrec_kind kind, struct lnetrec *out, struct rec_error *error);

/* The sum of these counters, a list that NULL ends. False when one of them is not known. */
bool lnetrec_sum(const json_t *counters, const char *const *names, uint64_t *sum);

#endif
