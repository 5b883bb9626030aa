/* tally - counts monitored devices and ports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_TALLY_H
#define CTREVAL_TALLY_H

#include "scan.h"
#include "state/state.h"

enum tally_role { TALLY_COMPUTE, TALLY_STORAGE, TALLY_FABRIC, TALLY_NO_ROLE, TALLY_ROLE_N };

/* Return "compute", "storage", "fabric" or "none". */
const char *tally_role_name(enum tally_role role);

/* The monitored devices and ports. An unreadable device counts with the ports that it had when last
 * read. */
struct tally_monitored {
	uint64_t port_set; /* hash of the ports and their devices' roles; never 0 */
	size_t devices;    /* with at least one such port */
	size_t ports;
	size_t roles[TALLY_ROLE_N]; /* ports by their device's role */
	size_t layers[LAYER_N];     /* devices with a port of this link layer */
};

/* Count what is monitored. `scan` must be whole, and `state` already updated by it. */
struct tally_monitored tally_monitored(const struct state *state, const struct scan *scan);

#endif
