/* port - opens one port of a device once, and reads its states, link and network interface in each
 * scan through kept descriptors (kernel#attribute-cost, spec#one-moment). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PORT_H
#define IBSCAN_PORT_H

#include "ibscan.h"

/* Directories that an open port keeps: its own, an uplink's, and one per group. */
#define PORT_DIRECTORIES (2 + COUNTER_GROUP_N)

/* Open ports/<number> of `device` and read what rarely changes. `is_uplink`: uplink_detect() found
 * switchdev mode. `counters` is false for a VF whose counters are not wanted. Return 0, or an errno
 * that concerns the whole device. If only this port cannot be opened, set `port->open_error` and
 * return 0. Call port_close() in every case. */
int port_open(struct port *port, const struct reading *reading, const char *device, unsigned number,
	const struct identity *identity, bool is_uplink, bool counters);

/* Read state, phys_state and operstate, and rate, lid and sm_lid if a state changed. slots_read()
 * reads the counters. Return 0, ENODEV if the device is gone, or EINTR if the scan has given up. A
 * state that cannot be read only sets `port->error`. */
int port_read(struct port *port);

/* Close all descriptors and keep what was read. */
void port_release(struct port *port);

void port_close(struct port *port);

#endif
