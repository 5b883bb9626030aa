/* linkmessage - what rtnetlink says of network interfaces. Pure.
 *
 *	message = nlmsghdr, of nlmsg_len bytes, padded to 4; RTM_NEWLINK and RTM_DELLINK go on with
 *	ifinfomsg = family, type, index, flags, change
 *	attribute = rta_len, rta_type, payload, padded to 4
 *
 * (include/uapi/linux/netlink.h, rtnetlink.h; numbers are in the machine's own order) */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_LINKMESSAGE_H
#define IBEVENT_LINKMESSAGE_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum linkmessage_status {
	LINKMESSAGE_CHANGED,  /* an interface as it is now */
	LINKMESSAGE_GONE,     /* it is here no more: only `index` is set */
	LINKMESSAGE_DUMPED,   /* the list that was asked for has ended */
	LINKMESSAGE_REFUSED,  /* it is not given: `error` says why */
	LINKMESSAGE_END,      /* no further message */
	LINKMESSAGE_MALFORMED /* what is left is no message */
};

struct linkmessage {
	int32_t index;
	char name[IFNAMSIZ];
	bool is_up;               /* it can pass packets: IFF_RUNNING */
	bool has_carrier_changes; /* the number below is known */
	uint32_t carrier_changes; /* how often it went up or down, of 32 bits */
	int error;
};

/* Parses the next message of interest at `*rest`, which moves behind it with `*length`. */
enum linkmessage_status linkmessage_next(
	const unsigned char **rest, size_t *length, struct linkmessage *message);

#endif
