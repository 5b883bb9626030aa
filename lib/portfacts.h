/* portfacts - what one port record says by itself. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_PORTFACTS_H
#define NHM_PORTFACTS_H

#include "counters.h"
#include "scanrec.h"

/* True when the port can carry traffic: ACTIVE and LinkUp. */
bool portfacts_is_up(const struct scanrec_port *port);

bool portfacts_is_ethernet(const struct scanrec_port *port);

/* True when the port's NIC has this counter, and it says that something is wrong: counter_is_of()
 * and counter_is_for(). */
bool portfacts_has_counter(const struct scanrec_port *port, const struct counter_def *def);

/* The value of a counter, NULL when the port has none, or when portfacts_has_counter() is false. */
const json_t *portfacts_counter(const struct scanrec_port *port, const struct counter_def *def);

/* True when the device is that of the PCI function `pci`, and not just on it: a part of that
 * device, or a subfunction. */
bool portfacts_is_function(const struct scanrec_device *device, const char *pci);

/* True when the configuration's inclusion override names the device: nothing else is needed to say
 * that it should be healthy, and what other devices do says nothing about it. */
bool portfacts_is_pinned(const struct scanrec_device *device);

/* True when somebody may rely on the device, as far as its record tells: it is monitored, or it
 * does not answer, so that nobody can tell whether it would be, or whose it is. */
bool portfacts_may_be_watched(const struct scanrec_device *device);

/* Why nobody can tell who the peers of a port with this role (NULL: none is known) are; NULL: they
 * are those with the same role. */
const char *portfacts_no_peers(const char *role);

enum portfacts_gids {
	/* not read, not RoCE, or the port is not ACTIVE and may have lost its addresses for that
	 * reason */
	PORTFACTS_GIDS_UNKNOWN,
	PORTFACTS_GIDS_FINE,
	/* none that maps an IPv4 address, which RoCE v2 over IPv4 goes by */
	PORTFACTS_GIDS_NO_IPV4,
	PORTFACTS_GIDS_NONE, /* no valid entry at all: nothing can connect */
	PORTFACTS_GIDS_N,
};

/* What a RoCE port's GID table is worth. */
enum portfacts_gids portfacts_gids(const struct scanrec_port *port);

/* `no IPv4 GID`, `no valid GID`; "" when there is nothing to say. */
const char *portfacts_gids_reason(enum portfacts_gids gids);

#endif
