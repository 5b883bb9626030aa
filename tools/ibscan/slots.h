/* slots - the counters of a port: lists and reads them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SLOTS_H
#define IBSCAN_SLOTS_H

#include "ibscan.h"

/* Open the directory of each group and list the wanted counters in it. An absent directory is
 * normal; an unreadable one is ignored as well, since missing counters are no evidence about a
 * device. Return 0, or an errno that concerns `device`. */
int slots_open(struct port *port, const struct reading *reading, const char *device);

/* Read each counter once. Return 0, or ENODEV or EINTR, as port_read() does. The scan sets
 * `cancelled` when it gives up on the device. */
int slots_read(struct port *port, const atomic_bool *cancelled);

/* Close the kept descriptors. */
void slots_release(struct port *port);

void slots_fini(struct port *port);

#endif
