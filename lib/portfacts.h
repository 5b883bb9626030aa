/* portfacts - what one port record says by itself. Pure. */
#ifndef NHM_PORTFACTS_H
#define NHM_PORTFACTS_H

#include "scanrec.h"

/* True when the port can carry traffic: ACTIVE and LinkUp. */
bool portfacts_is_up(const struct scanrec_port *port);

bool portfacts_is_ethernet(const struct scanrec_port *port);

enum portfacts_gids {
	PORTFACTS_GIDS_UNKNOWN, /* not read, not RoCE, or the port is not ACTIVE and may have lost its addresses for that reason */
	PORTFACTS_GIDS_FINE,
	PORTFACTS_GIDS_NO_IPV4, /* none that maps an IPv4 address, which RoCE v2 over IPv4 goes by */
	PORTFACTS_GIDS_NONE,    /* no valid entry at all: nothing can connect */
	PORTFACTS_GIDS_N,
};

/* What a RoCE port's GID table is worth. */
enum portfacts_gids portfacts_gids(const struct scanrec_port *port);

/* `no IPv4 GID`, `no valid GID`; "" when there is nothing to say. */
const char *portfacts_gids_reason(enum portfacts_gids gids);

#endif
