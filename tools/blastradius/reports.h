/* reports - classifies events about the links of ports. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BLASTRADIUS_REPORTS_H
#define BLASTRADIUS_REPORTS_H

#include "fleet.h"

#include <stdbool.h>

/* checkName of the events that blame a switch or the fabric. The switch or fabric is their
 * nodeName. */
#define REPORTS_SUSPECT "FabricSuspect"

/* Return true if the event was derived from other events, not sent by the node's own checks. */
bool reports_is_derived(const struct sighting *event);

/* Return true if a node reports a fault of a link of its own. */
bool reports_trouble(const struct sighting *event);

/* Return true if the event is about that port, or about its card because ports of it are down. */
bool reports_is_about(const struct sighting *event, const char *device, const char *number);

/* Return true if the event can trigger remediation of the node because of a link. */
bool reports_acts(const struct sighting *event);

/* Return true if the event says no more than that a link is or was down, or was derived from such
 * events. */
bool reports_link_only(const struct sighting *event);

/* Return true if a healthy event ends the report that the port is down. */
bool reports_up(const struct sighting *healthy, const struct port *port);

#endif
