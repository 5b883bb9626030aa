/* errorcode - the errorCodes of events that are not counter names. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ERRORCODE_H
#define NHM_ERRORCODE_H

#include <stdbool.h>

/* A healthy event ends the fault with the same check, entities and code. So each kind of event
 * about the same entities needs its own code. The code of a breach is the counter's name;
 * ctreval(1), "errorCode", lists all codes. */
#define CODE_PORT_STATE "port_state"
#define CODE_PORT_GONE "port_gone"
#define CODE_PORT_BLIP "port_blip"
#define CODE_PORT_FLAP "port_flap"
#define CODE_NIC_GONE "nic_gone"
#define CODE_NIC_UNREADABLE "nic_unreadable"
#define CODE_CARD_PORTS "card_ports"
#define CODE_PLANE_DOWN "plane_down"
#define CODE_RATE_BELOW_PEERS "rate_below_peers"
#define CODE_LINK_FLAP "link_flap"
#define CODE_DEVICE_FATAL "device_fatal"
#define CODE_PCI_RECOVERY "pci_recovery_failed"
#define CODE_QP_FATAL "qp_fatal"
#define CODE_CQ_ERR "cq_err"
#define CODE_SRQ_ERR "srq_err"
#define CODE_WQ_FATAL "wq_fatal"
#define CODE_PEERS_UNREACHABLE "peers_unreachable"
#define CODE_ROCE_GIDS_LOST "roce_gids_lost"
#define CODE_LNET_FATAL "lnet_fatal_error"
#define CODE_LNET_FAILURES "lnet_failures"
#define CODE_CHANGED "changed"
#define CODE_UVERBS "uverbs"
#define CODE_UMAD "umad"
#define CODE_ISSM "issm"
#define CODE_SATURATED "saturated" /* the second code of an event, after the counter's name */

/* Return true for one of the codes above: a counter must not have that name. */
bool errorcode_is_taken(const char *name);

#endif
