/* linktable - the network interfaces as they were last, and what a message about one says has
 * happened since. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINKTABLE_H
#define IBEVENT_LINKTABLE_H

#include "linkmessage.h"

struct linktable_entry {
	int32_t index;
	bool is_up;
	bool has_carrier_changes;
	uint32_t carrier_changes;
	bool is_listed; /* the list that is being read has it */
};

/* All zeros: empty. Sorted by index. */
struct linktable {
	struct linktable_entry *entries;
	size_t count, capacity;
};

/* How often an interface went down and up. The last of it is what the message shows. */
struct linktable_change {
	uint32_t downs, ups;
};

/* Accepts a CHANGED or GONE message; an interface that is new to the table has not changed. 0, or
 * -1 with errno when memory runs out: then nothing is known of it. */
int linktable_accept(struct linktable *table, enum linkmessage_status status,
	const struct linkmessage *message, struct linktable_change *change);

/* A list of all interfaces begins, and has ended: those that it has not are gone. */
void linktable_begin_list(struct linktable *table);
void linktable_end_list(struct linktable *table);

void linktable_fini(struct linktable *table);

#endif
