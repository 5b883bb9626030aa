/* efa - which devices are EFA adapters (AWS), and what their network interfaces say of them
 * (spec#efa). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EFA_H
#define NHM_EFA_H

#include <stdbool.h>
#include <stdint.h>

/* The driver of EFA adapters. */
#define EFA_DRIVER "efa"

/* True for an EFA adapter: the driver decides, and where none is bound the vendor. Both nullable,
 * as in a device record. */
bool efa_is_device(const char *driver, const char *vendor);

enum efa_sight {
	EFA_UP,
	EFA_DOWN,
	EFA_UNKNOWN, /* there is a network interface, and it does not answer */
};

/* What the port's network interface says of the port, whose own state the driver makes up. `netdev`
 * (NULL: it has no interface, and is up while it is there) and `operstate` are nullable; `carrier`
 * is 0 or 1, or negative when it could not be read. */
enum efa_sight efa_port_eval(const char *netdev, const char *operstate, int64_t carrier);

#endif
