/* remarks - formats the last column: why a row is marked, and its error counters. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NICVIEW_REMARKS_H
#define NICVIEW_REMARKS_H

#include "counters.h"
#include "rows.h"

/* More counters than the built-in list has. */
#define ERRORCOUNTS_MAX 64

struct errorcount {
	const char *name; /* name of the counter's file, owned by the list */
	uint64_t value;
	bool full; /* the counter is at its maximum: the real count may be higher */
};

/* Collect the counters of the list above zero, or above their threshold if a few counts are normal
 * (carrier_changes): fatal ones first, then in the list's order, each file once. Congestion is no
 * error, so port_xmit_wait is excluded. Return how many, at most ERRORCOUNTS_MAX. */
size_t remarks_count_errors(const struct counter_list *list, const struct scanrec_port *port,
	struct errorcount *counts);

/* Size of the whole text. */
#define REMARKS_SIZE 4096

struct remarks {
	char reason[4 * ROW_REASON_SIZE]; /* escaped; may be "" */
	struct errorcount counts[ERRORCOUNTS_MAX];
	size_t count;
};

void remarks_of(const struct row *row, const struct counter_list *list, struct remarks *remarks);

/* Format as much as `width` allows: the reason, the counters (most serious first), and how many
 * were omitted: `peers are up; link_downed=3 symbol_error>=65535 +4`. The reason and the first
 * counter are always included. Return the length. */
size_t remarks_format(const struct remarks *remarks, size_t width, char text[REMARKS_SIZE]);

/* Return true if the necessary part fits `width`: everything if there is a reason, else at least
 * one counter. */
bool remarks_fit(const struct remarks *remarks, size_t width);

#endif
