/* linktable - the last known state of each network interface; derives from the next message how
 * often it went down and up. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINKTABLE_H
#define IBEVENT_LINKTABLE_H

#include "linkmessage.h"

struct linktable_entry {
	int32_t index;
	bool is_up;
	bool has_carrier_changes;
	uint32_t carrier_changes;
	bool is_listed; /* in the list that is being read */
};

/* Sorted by index. All zeros: empty. */
struct linktable {
	struct linktable_entry *entries;
	size_t count, capacity;
};

/* How often an interface went down and up. The last change led to the state in the message. */
struct linktable_change {
	uint32_t downs, ups;
};

/* Apply a CHANGED or GONE message. An interface that is new to the table has not changed. Return 0,
 * or -1 with errno when memory runs out; then the interface is not in the table. */
int linktable_accept(struct linktable *table, enum linkmessage_status status,
	const struct linkmessage *message, struct linktable_change *change);

/* Begin and end a list of all interfaces. linktable_end_list() removes those that were not
 * listed. */
void linktable_begin_list(struct linktable *table);
void linktable_end_list(struct linktable *table);

void linktable_fini(struct linktable *table);

#endif
