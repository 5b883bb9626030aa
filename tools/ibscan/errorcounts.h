/* errorcounts - the error counters of a port that have counted something, the most serious first. Pure. */
#ifndef IBSCAN_ERRORCOUNTS_H
#define IBSCAN_ERRORCOUNTS_H

#include "counters.h"
#include "scanrec.h"

/* More than the built-in list has. */
#define ERRORCOUNTS_MAX 32

struct errorcount {
	const char *name; /* of the counter's file; the list's */
	uint64_t value;
	bool full; /* the counter stops here: it may be any number from here on */
};

/* Those of the list that stand above zero, or above their threshold where a few are normal (carrier_changes): fatal ones first,
 * otherwise in the list's order, each file once. Congestion is no error: not port_xmit_wait. Returns how many, at most
 * ERRORCOUNTS_MAX. */
size_t errorcounts_of(const struct counter_list *list, const struct scanrec_port *port,
	struct errorcount *counts);

#endif
