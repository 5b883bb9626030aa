/* bond - RDMA devices that stand for several functions of their card (spec#bond). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_BOND_H
#define CTREVAL_BOND_H

#include "scan.h"

/* Return false if bond_of_card() cannot return this device. */
bool bond_is_possible(const struct scanrec_device *device);

/* Return the device that the driver created for the card's functions when their interfaces joined a
 * bond, or NULL. When they leave the bond, each function has its own device again. The device is
 * recognized by its name (mlx5_bond_0), or by an interface in a bond if a function of the card has
 * a driver but no device. */
const struct scan_device *bond_of_card(const struct scan *scan, const char *card);

#endif
