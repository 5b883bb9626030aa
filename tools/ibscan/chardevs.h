/* chardevs - the InfiniBand character devices (uverbs, umad, issm) of RDMA devices and ports
 * (kernel#character-devices). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_CHARDEVS_H
#define IBSCAN_CHARDEVS_H

#include "ibscan.h"

struct chardevs;

/* Return NULL when memory runs out. */
struct chardevs *chardevs_new(void);
void chardevs_free(struct chardevs *chardevs);

/* Set `uverbs` of each device and `umad` and `issm` of its ports, for devices that answered in this
 * scan. List class/infiniband_mad below `root` only if one of their ports is InfiniBand. Entries
 * that were read stay valid until their inode changes. All are read again once a minute, and when a
 * uverbs or umad is missing, because its device may have been renamed. */
void chardevs_look(struct chardevs *chardevs, int root, struct device **devices, size_t count);

/* Append the names of the devices that chardevs_look() found a uverbs entry of, and that are in
 * another network namespace, to `list`, see record_list_name(). `devices` are in natural order. */
void chardevs_list_elsewhere(struct chardevs *chardevs, int root, struct device **devices,
	size_t count, struct strbuf *list);

/* Return the name of the error that kept this scan from listing class/infiniband_verbs or
 * class/infiniband_mad. NULL if the class was listed, or no port is InfiniBand. */
const char *chardevs_verbs_error(const struct chardevs *chardevs);
const char *chardevs_mad_error(const struct chardevs *chardevs);

#endif
