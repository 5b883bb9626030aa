/* port - one port of a device: opened once, read at every scan through kept descriptors. */
#ifndef IBSCAN_PORT_H
#define IBSCAN_PORT_H

#include "ibscan.h"

/* How a device's attributes are opened and read. */
struct reading {
	int root;
	const struct scan_config *config;
	atomic_bool *cancelled; /* set by the scan when it gives up on this device */
};

/* Lets up to `count` descriptors be kept open at a time, by all devices together; beyond that attributes are opened for
 * each read. Call it before the first port is opened. */
void port_set_descriptor_budget(long count);

/* Opens ports/<number> of `device` and reads what rarely changes. `directory` is the open class/infiniband/<device>;
 * `counters` is false for a VF whose counters are not asked for. Returns 0 or an errno; port_close() is needed after both. */
int port_open(struct port *port, const struct reading *reading, const char *device, unsigned number,
	const struct identity *identity, bool counters);

/* Reads state, physical state, operational state and the wanted counters; rate, lid and sm_lid when a state changed.
 * Returns 0, ENODEV when the device is gone, or EINTR when the scan has given up; a state that cannot be read is not
 * a failure of this call but `port->error`. */
int port_read(struct port *port, const struct reading *reading);

void port_close(struct port *port);

#endif
