/* linkmessage - parses rtnetlink messages about network interfaces. Pure.
 *
 *	message   = nlmsghdr body, nlmsg_len bytes in total, padded to 4
 *	body      = ifinfomsg attribute*, in RTM_NEWLINK and RTM_DELLINK
 *	ifinfomsg = family, type, index, flags, change
 *	attribute = rta_len, rta_type, payload, padded to 4
 *
 * (include/uapi/linux/netlink.h, rtnetlink.h; numbers are in host byte order) */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINKMESSAGE_H
#define IBEVENT_LINKMESSAGE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum linkmessage_status {
	LINKMESSAGE_CHANGED,  /* the current state of an interface */
	LINKMESSAGE_GONE,     /* the interface is gone: only `index` is valid */
	LINKMESSAGE_DUMPED,   /* the end of the requested list */
	LINKMESSAGE_REFUSED,  /* the kernel rejects the request: `error` is the errno */
	LINKMESSAGE_END,      /* no further message */
	LINKMESSAGE_MALFORMED /* the message cannot be parsed */
};

struct linkmessage {
	int32_t index;
	char name[IFNAMSIZ];
	bool is_up;               /* can pass packets: IFF_RUNNING */
	bool has_carrier_changes; /* carrier_changes is known */
	uint32_t carrier_changes; /* times the carrier went up or down, modulo 2^32 */
	int error;
};

/* Parse the next relevant message at `*rest`, and advance `*rest` and `*length` past it. */
enum linkmessage_status linkmessage_next(
	const unsigned char **rest, size_t *length, struct linkmessage *message);

#endif
