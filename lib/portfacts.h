/* portfacts - facts that follow from one port record alone. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PORTFACTS_H
#define NHM_PORTFACTS_H

#include "counters.h"
#include "scanrec.h"

/* Return whether the port can carry traffic: ACTIVE and LinkUp. */
bool portfacts_is_up(const struct scanrec_port *port);

bool portfacts_is_ethernet(const struct scanrec_port *port);

/* Return whether the port's NIC has this counter and the counter indicates a fault there:
 * counter_is_of() and counter_is_for(). */
bool portfacts_has_counter(const struct scanrec_port *port, const struct counter_def *def);

/* Return the value of a counter, or NULL if the port has none or portfacts_has_counter() is
 * false. */
const json_t *portfacts_counter(const struct scanrec_port *port, const struct counter_def *def);

/* Return whether the device is the one of the PCI function `pci`, not merely a part of that device
 * or a subfunction of it. */
bool portfacts_is_function(const struct scanrec_device *device, const char *pci);

/* Return whether the configuration's inclusion override names the device: it should then be
 * healthy, whatever other devices show. */
bool portfacts_is_pinned(const struct scanrec_device *device);

/* Return whether the device may be in use, as far as its record shows: it is monitored, or it
 * cannot be read, so that its role or vendor is unknown. */
bool portfacts_may_be_watched(const struct scanrec_device *device);

/* Return why the peers of a port with this role (NULL: unknown) cannot be told, or NULL if they are
 * the ports with the same role. */
const char *portfacts_no_peers(const char *role);

enum portfacts_gids {
	/* not read, not RoCE, or the port is not ACTIVE, which may be why it has no addresses */
	PORTFACTS_GIDS_UNKNOWN,
	PORTFACTS_GIDS_FINE,
	/* no entry maps an IPv4 address, as RoCE v2 over IPv4 needs */
	PORTFACTS_GIDS_NO_IPV4,
	PORTFACTS_GIDS_NONE, /* no valid entry: nothing can connect */
	PORTFACTS_GIDS_N,
};

/* Evaluate a RoCE port's GID table. */
enum portfacts_gids portfacts_gids(const struct scanrec_port *port);

/* Return `no IPv4 GID`, `no valid GID`, or "" if the table has no fault. */
const char *portfacts_gids_reason(enum portfacts_gids gids);

#endif
