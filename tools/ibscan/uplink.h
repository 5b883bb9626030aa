/* uplink - the port of a NIC in switchdev mode. There mlx5 gives the RDMA device one port for each
 * representor (of a VF, a subfunction or the uplink), and the kernel version decides which number
 * the uplink has. Its network interface tells its state. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_UPLINK_H
#define IBSCAN_UPLINK_H

#include "ibscan.h"

/* Set `*is` if the device is in switchdev mode. Return 0, or an errno that concerns the device
 * (attribute_concerns_device()). */
int uplink_detect(int root, const char *device, const struct identity *identity, bool *is);

/* Return true if the interface is a member of a bond, whatever the bond is called. */
bool uplink_is_bonded(int root, const char *netdev);

/* Open the directory of the interface whose carrier counts: of the port's interface, or of the bond
 * that it belongs to. `*dir` is -1 if there is none. */
void uplink_open(int root, const char *netdev, int *dir);

/* Set state and phys_state of a port as the kernel derives them from a carrier. Return 0, or an
 * errno. */
int uplink_read_states(struct port *port);

#endif
