/* eventname - names and meanings of asynchronous and connection manager events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "eventname.h"

#include "array.h"

#include <stddef.h>

/* enum ib_event_type, include/rdma/ib_verbs.h; the numbers are part of the user-space ABI. */
static const struct eventname_async async_events[] = {
	[0] = {"CQ_ERR", true, false},
	[1] = {"QP_FATAL", true, false},
	[2] = {"QP_REQ_ERR", true, false},
	[3] = {"QP_ACCESS_ERR", true, false},
	[4] = {"COMM_EST", false, false},
	[5] = {"SQ_DRAINED", false, false},
	[6] = {"PATH_MIG", false, false},
	[7] = {"PATH_MIG_ERR", true, false},
	/* Only some drivers set the port; 0 means none. */
	[EVENTNAME_DEVICE_FATAL] = {"DEVICE_FATAL", true, true},
	[9] = {"PORT_ACTIVE", false, true},
	[10] = {"PORT_ERR", true, true},
	[11] = {"LID_CHANGE", false, true},
	[12] = {"PKEY_CHANGE", false, true},
	[13] = {"SM_CHANGE", false, true},
	[14] = {"SRQ_ERR", true, false},
	[15] = {"SRQ_LIMIT_REACHED", false, false},
	[16] = {"QP_LAST_WQE_REACHED", false, false},
	[17] = {"CLIENT_REREGISTER", false, true},
	[18] = {"GID_CHANGE", false, true},
	[19] = {"WQ_FATAL", true, false},
};

const struct eventname_async *
eventname_async(uint32_t type)
{
	static const struct eventname_async unknown = {"UNKNOWN", false, false};
	return type < ARRAY_COUNT(async_events) ? &async_events[type] : &unknown;
}

/* enum rdma_cm_event_type, include/rdma/rdma_cm.h. The causes are those for which
 * drivers/infiniband/core/cma.c generates the events (kernel#cm-causes). Events without a name
 * report a step that succeeded. */
static const struct eventname_cm cm_events[] = {
	[1] = {"ADDR_ERROR", "network"},  /* no neighbour has the address */
	[3] = {"ROUTE_ERROR", "network"}, /* the subnet manager knows no path */
	[6] = {"CONNECT_ERROR", "unknown"},
	[7] = {"UNREACHABLE", "network"}, /* no answer came in time */
	[8] = {"REJECTED", "remote"},     /* the peer refused */
	[10] = {"DISCONNECTED", "unknown"},
	[11] = {"DEVICE_REMOVAL", "local"},
	[13] = {"MULTICAST_ERROR", "unknown"},
	[14] = {"ADDR_CHANGE", "local"}, /* a bond changed its port */
};

/* With a status: the peer did not answer, so the connection was lost and not closed. */
static const struct eventname_cm lost_connection = {"DISCONNECTED", "network"};

const struct eventname_cm *
eventname_cm(uint32_t type, int32_t status)
{
	if (type >= ARRAY_COUNT(cm_events) || cm_events[type].name == NULL)
		return NULL;
	return type == 10 && status != 0 ? &lost_connection : &cm_events[type];
}
