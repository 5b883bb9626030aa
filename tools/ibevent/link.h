/* link - network interfaces of RDMA ports that go down and up, from rtnetlink. It sees those of its
 * own network namespace. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINK_H
#define IBEVENT_LINK_H

#include "devicelook.h"
#include "linktable.h"
#include "output.h"

struct link {
	int fd; /* -1: it is not open */
	struct linktable table;
	bool is_listing; /* all interfaces have been asked for, and not all are known yet */
	bool needs_list; /* messages were lost since */
	struct devicelook *look;
	struct output *output;
};

/* Opens the socket and asks for all interfaces. 0, or -1 with errno. */
int link_open(struct link *link, struct devicelook *look, struct output *output);

/* Reads what is there, or a part of it. 0, or -1 with errno when it can read no more. */
int link_read(struct link *link);

void link_close(struct link *link);

#endif
