/* efa - recognises EFA adapters (AWS), and evaluates their ports by their network interfaces
 * (spec#efa). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_EFA_H
#define NHM_EFA_H

#include <stdbool.h>
#include <stdint.h>

/* The driver of EFA adapters. */
#define EFA_DRIVER "efa"

/* Return true for an EFA adapter: by the driver, or by the vendor if no driver is bound. Both may
 * be NULL, as in a device record. */
bool efa_is_device(const char *driver, const char *vendor);

/* Return true if the attributes `vendor` and `device` of a PCI function are those of an EFA
 * adapter: without a driver, only the device id tells it from Amazon's other network adapters. */
bool efa_is_function(const char *vendor, const char *device);

enum efa_sight {
	EFA_UP,
	EFA_DOWN,
	EFA_UNKNOWN, /* its network interface does not answer */
};

/* Evaluate a port by its network interface, because the EFA driver makes up the port state.
 * `netdev` is NULL if there is no interface: an existing port is then up. `operstate` may be NULL;
 * `carrier` is 0 or 1, or negative if it could not be read. */
enum efa_sight efa_port_eval(const char *netdev, const char *operstate, int64_t carrier);

#endif
