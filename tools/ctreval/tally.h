/* tally - what is monitored, counted from a scan and what is remembered. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_TALLY_H
#define CTREVAL_TALLY_H

#include "scan.h"
#include "state/state.h"

enum tally_role { TALLY_COMPUTE, TALLY_STORAGE, TALLY_FABRIC, TALLY_NO_ROLE, TALLY_ROLE_N };

/* compute, storage, fabric, none. */
const char *tally_role_name(enum tally_role role);

/* What is monitored. A device that cannot be read has the ports that it had when it could be. */
struct tally_monitored {
	uint64_t port_set; /* changes with the ports and with what their devices are for; never 0 */
	size_t devices;    /* with at least one such port */
	size_t ports;
	size_t roles[TALLY_ROLE_N]; /* ports, by what their device is for */
	size_t layers[LAYER_N];     /* devices with at least one port of this link layer */
};

/* `state` is as this scan, which is whole, has left it. */
struct tally_monitored tally_monitored(const struct state *state, const struct scan *scan);

#endif
