/* errorcode - the errorCodes of events that are not counter names. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "errorcode.h"

#include "array.h"
#include "words.h"
#include <stddef.h>

bool
errorcode_is_taken(const char *name)
{
	static const char *const codes[] = {
		CODE_PORT_STATE,
		CODE_PORT_GONE,
		CODE_PORT_BLIP,
		CODE_PORT_FLAP,
		CODE_NIC_GONE,
		CODE_NIC_UNREADABLE,
		CODE_CARD_PORTS,
		CODE_PLANE_DOWN,
		CODE_RATE_BELOW_PEERS,
		CODE_LINK_FLAP,
		CODE_DEVICE_FATAL,
		CODE_PCI_RECOVERY,
		CODE_QP_FATAL,
		CODE_CQ_ERR,
		CODE_SRQ_ERR,
		CODE_WQ_FATAL,
		CODE_PEERS_UNREACHABLE,
		CODE_ROCE_GIDS_LOST,
		CODE_LNET_FATAL,
		CODE_LNET_FAILURES,
		CODE_CHANGED,
		CODE_UVERBS,
		CODE_UMAD,
		CODE_ISSM,
		CODE_SATURATED,
	};
	const size_t count = ARRAY_COUNT(codes);
	return words_find(codes, count, name) < count;
}
