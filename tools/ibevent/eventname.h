/* eventname - names and meanings of asynchronous and connection manager events, by the kernel's
 * numbers. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_EVENTNAME_H
#define IBEVENT_EVENTNAME_H

#include <stdbool.h>
#include <stdint.h>

/* An asynchronous event: enum ib_event_type of include/rdma/ib_verbs.h, the same as libibverbs'
 * enum ibv_event_type. */
struct eventname_async {
	const char *name;  /* without IB_EVENT_ */
	bool fabric_error; /* a failure, not only a change */
	bool has_port;     /* its element is a port number */
};

/* Return the event, never NULL: an unknown number has the name UNKNOWN and is no error. */
const struct eventname_async *eventname_async(uint32_t type);

/* The number of DEVICE_FATAL. */
#define EVENTNAME_DEVICE_FATAL 8

/* A connection manager event: enum rdma_cm_event_type of include/rdma/rdma_cm.h. */
struct eventname_cm {
	const char *name;  /* without RDMA_CM_EVENT_ */
	const char *cause; /* local, remote, network or unknown */
};

/* Return the event with this type and status, or NULL if it is unknown or reports no failure. */
const struct eventname_cm *eventname_cm(uint32_t type, int32_t status);

#endif
