/* events - enables and disables the traced events, as far as the kernel has them. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_EVENTS_H
#define RDMATRACE_EVENTS_H

#include "instance.h"
#include "layout.h"

#include <stdbool.h>
#include <sys/types.h>

/* Kernel modules with the traced functions. */
enum events_module { EVENTS_IB_CORE, EVENTS_IB_UVERBS, EVENTS_RDMA_CM, EVENTS_MODULE_N };

#define EVENTS_MAX 8

struct events {
	const struct instance *instance;
	const char *sysfs_path;
	int sysfs_root;
	/* Inodes of the directories below module/; 0: not loaded. A module that is loaded again has
	 * a new inode. */
	ino_t inodes[EVENTS_MODULE_N];
	struct layout layout;
	const char *no_layout; /* why there is no layout; NULL: it is valid if ib_core is loaded */
	bool has_warned[EVENTS_MAX];
};

void events_init(struct events *events, const struct instance *instance, const char *sysfs_path,
	int sysfs_root);

/* Check whether modules were loaded or reloaded: the kernel does not trace their events then.
 * Enable the events of these modules only. Report once each event that cannot be traced. */
void events_look(struct events *events);

/* Remove all probes. */
void events_end(struct events *events);

#endif
