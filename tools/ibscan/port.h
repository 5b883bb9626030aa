/* port - one port of a device: opened once, read at every scan through kept descriptors
 * (kernel#attribute-cost, spec#one-moment). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_PORT_H
#define IBSCAN_PORT_H

#include "ibscan.h"

/* Directories that an open port keeps: its own, and one per group. */
#define PORT_DIRECTORIES (1 + COUNTER_GROUP_N)

/* Opens ports/<number> of `device` and reads what rarely changes; `counters` is false for a VF
 * whose counters are not asked for. Returns 0, or an errno that concerns the whole device; a port
 * that cannot be opened by itself has `open_error`. port_close() is needed in every case. */
int port_open(struct port *port, const struct reading *reading, const char *device, unsigned number,
	const struct identity *identity, bool counters);

/* Reads state, physical state and operational state; rate, lid and sm_lid when a state changed.
 * Counters are slots_read()'s. Returns 0, ENODEV when the device is gone, or EINTR when the scan
 * has given up; a state that cannot be read is not a failure of this call but `port->error`. */
int port_read(struct port *port);

/* Closes what is kept open, and keeps what was read. */
void port_release(struct port *port);

void port_close(struct port *port);

#endif
