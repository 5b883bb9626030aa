/* lnetrec - checks and decodes lnetread's records of LNet (records#records-of-lnet). Pure. */
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
	bool fatal_error;       /* its driver reported a failure of the port or device */
	const json_t *counters; /* NULL: none; not in lnet.end */
	bool complete;          /* lnet.end: nets without a record do not exist */
};

/* Return the kind of a record from rec_parse_new(). */
enum lnetrec_kind lnetrec_kind(const json_t *record);

/* Decode a record of any kind but LNETREC_OTHER. Return true, or false with `*error` if a member is
 * missing or invalid. */
bool lnetrec_decode(
	const json_t *record, enum lnetrec_kind kind, struct lnetrec *out, struct rec_error *error);

/* Add up the counters in the NULL-terminated list `names`. Return false if one is unknown or the
 * sum overflows. */
bool lnetrec_sum(const json_t *counters, const char *const *names, uint64_t *sum);

#endif
