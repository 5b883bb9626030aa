/* bond - RDMA devices that stand for more than one function of their card (spec#bond). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BOND_H
#define CTREVAL_BOND_H

#include "scan.h"

/* False for a device that bond_of_card() never gives, for any card. */
bool bond_is_possible(const struct scanrec_device *device);

/* The device that the driver has made of the card's functions when their interfaces were joined in
 * a bond; NULL when there is none. Each function has one of its own again when they leave the bond.
 * It is known by its name (mlx5_bond_0); or by an interface in a bond, where a function of the card
 * has a driver and no device. */
const struct scan_device *bond_of_card(const struct scan *scan, const char *card);

#endif
