/* errorcode - the errorCodes of events that no counter names. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_ERRORCODE_H
#define NHM_ERRORCODE_H

#include <stdbool.h>

/* By check, entities and code a receiver knows what a healthy event takes back. So each kind of
 * event about the same entities has a code of its own. The code of a breach is the counter's name;
 * ctreval(1), "errorCode", lists them all. */
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

/* True for one of the codes above: a counter of that name would be taken for it. */
bool errorcode_is_taken(const char *name);

#endif
