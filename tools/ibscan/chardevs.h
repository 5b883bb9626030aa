/* chardevs - which InfiniBand character devices the classes list, and of which device and port each
 * is (kernel#character-devices). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_CHARDEVS_H
#define IBSCAN_CHARDEVS_H

#include "ibscan.h"

struct chardevs;

/* NULL when memory runs out. */
struct chardevs *chardevs_new(void);
void chardevs_free(struct chardevs *chardevs);

/* Sets `uverbs` of each device, and `umad` and `issm` of its ports, for the devices that answered
 * in this scan. The classes are listed below `root` when a port of them is InfiniBand. What an
 * entry says is kept until its inode changes; all entries are read again once a minute, and when
 * other nodes are missing than before, because a device may have got another name. */
void chardevs_look(struct chardevs *chardevs, int root, struct device **devices, size_t count);

/* Why class/infiniband_verbs, or class/infiniband_mad, could not be listed in this scan, as records
 * have it; NULL when it was, or when there was no reason to list it. */
const char *chardevs_verbs_error(const struct chardevs *chardevs);
const char *chardevs_mad_error(const struct chardevs *chardevs);

#endif
