/* slots - the counters of a port: which there are, and what each says now. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_SLOTS_H
#define IBSCAN_SLOTS_H

#include "ibscan.h"

/* Opens the directory of each group there is, and lists what is to be read in it. A directory that
 * is absent has no counters, which is normal; one that cannot be opened or listed is the same to
 * us, since single counters are no evidence about a device. 0, or an errno that concerns
 * `device`. */
int slots_open(struct port *port, const struct reading *reading, const char *device);

/* Reads each of them once. 0, or ENODEV or EINTR as port_read(); `cancelled` is set by the scan
 * when it gives up on the device. */
int slots_read(struct port *port, const atomic_bool *cancelled);

/* Closes the files that are kept open. */
void slots_release(struct port *port);

void slots_fini(struct port *port);

#endif
