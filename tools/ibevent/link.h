/* link - reports network interfaces of RDMA ports that go down or up, from rtnetlink. Sees only the
 * interfaces of its own network namespace. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINK_H
#define IBEVENT_LINK_H

#include "devicelook.h"
#include "linktable.h"
#include "output.h"

struct link {
	int fd; /* -1: closed */
	struct linktable table;
	bool is_listing; /* the list of all interfaces is being read */
	bool needs_list; /* messages were lost since the list was requested */
	struct devicelook *look;
	struct output *output;
};

/* Open the socket and request the list of all interfaces. Return 0, or -1 with errno. */
int link_open(struct link *link, struct devicelook *look, struct output *output);

/* Read at most one batch of messages. Return 0, or -1 with errno if no more can be read. */
int link_read(struct link *link);

void link_close(struct link *link);

#endif
