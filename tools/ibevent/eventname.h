/* eventname - names and meaning of asynchronous events and of the connection manager's, by the
 * numbers that the kernel has for them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_EVENTNAME_H
#define IBEVENT_EVENTNAME_H

#include <stdbool.h>
#include <stdint.h>

/* An asynchronous event, enum ib_event_type of include/rdma/ib_verbs.h, which is enum
 * ibv_event_type of libibverbs. */
struct eventname_async {
	const char *name;  /* without IB_EVENT_ */
	bool fabric_error; /* something has failed, and is not only changed */
	bool has_port;     /* its element is the number of a port */
};

/* Never NULL: a number that is not known has the name UNKNOWN, and is no error. */
const struct eventname_async *eventname_async(uint32_t type);

/* The number of DEVICE_FATAL. */
#define EVENTNAME_DEVICE_FATAL 8

/* An event of the connection manager, enum rdma_cm_event_type of include/rdma/rdma_cm.h. */
struct eventname_cm {
	const char *name;  /* without RDMA_CM_EVENT_ */
	const char *cause; /* local, remote, network or unknown; NULL: it tells of no failure */
};

/* What an event with this status says. NULL when it tells of no failure or is not known. */
const struct eventname_cm *eventname_cm(uint32_t type, int32_t status);

#endif
