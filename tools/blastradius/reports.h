/* reports - what events say about the links of ports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_REPORTS_H
#define BLASTRADIUS_REPORTS_H

#include "sighting.h"

#include <stdbool.h>

/* The checkName of an event that blames a switch, or the fabric; it is the nodeName, too. */
#define REPORTS_SUSPECT "FabricSuspect"

/* It was found in other events, and is not from the node itself. */
bool reports_is_derived(const struct sighting *event);

/* A node says that something is wrong with the link of a port of its own. */
bool reports_trouble(const struct sighting *event);

/* It is about that port; or about its card, one of whose ports is down then. */
bool reports_is_about(const struct sighting *event, const char *device, const char *number);

/* Somebody would do something about the node because of a link. */
bool reports_acts(const struct sighting *event);

/* It says, or was found in what says, that a link is or was down, and no more. */
bool reports_link_only(const struct sighting *event);

/* A healthy event says of a port that its link is up. */
bool reports_up(const struct sighting *healthy, const char *device, const char *number);

#endif
