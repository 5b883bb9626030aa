/* remarks - the last column: why a row is marked, and the error counters that have counted.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_REMARKS_H
#define NICVIEW_REMARKS_H

#include "counters.h"
#include "rows.h"

/* More than the built-in list has. */
#define ERRORCOUNTS_MAX 64

struct errorcount {
	const char *name; /* of the counter's file; the list's */
	uint64_t value;
	bool full; /* the counter stops here: it may be any number from here on */
};

/* Those of the list that stand above zero, or above their threshold where a few are normal
 * (carrier_changes): fatal ones first, otherwise in the list's order, each file once. Congestion is
 * no error: not port_xmit_wait. Returns how many, at most ERRORCOUNTS_MAX. */
size_t remarks_count_errors(const struct counter_list *list, const struct scanrec_port *port,
	struct errorcount *counts);

/* Room for all of it. */
#define REMARKS_SIZE 4096

struct remarks {
	char reason[4 * ROW_REASON_SIZE]; /* escaped; may be "" */
	struct errorcount counts[ERRORCOUNTS_MAX];
	size_t count;
};

void remarks_of(const struct row *row, const struct counter_list *list, struct remarks *remarks);

/* As much of it as `width` has room for: the reason, then the counters, the most serious first,
 * then how many were left out: `peers are up; link_downed=3 symbol_error>=65535 +4`. The reason and
 * the first counter are there however long they are. Returns its length. */
size_t remarks_format(const struct remarks *remarks, size_t width, char text[REMARKS_SIZE]);

/* True when it says in `width` what must be said: all of it where there is a reason, else at least
 * one counter. */
bool remarks_fit(const struct remarks *remarks, size_t width);

#endif
