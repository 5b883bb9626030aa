/* events - what is traced: whichever of it the kernel has now. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_EVENTS_H
#define RDMATRACE_EVENTS_H

#include "instance.h"
#include "layout.h"

#include <stdbool.h>
#include <sys/types.h>

/* The modules that have the traced functions. */
enum events_module { EVENTS_IB_CORE, EVENTS_IB_UVERBS, EVENTS_RDMA_CM, EVENTS_MODULE_N };

#define EVENTS_MAX 8

struct events {
	const struct instance *instance;
	const char *sysfs_path;
	int sysfs_root;
	/* Of the directories below module/, 0: it is not loaded. Each gets another one when it is
	 * loaded again. */
	ino_t inodes[EVENTS_MODULE_N];
	struct layout layout;
	const char *no_layout; /* why there is none; NULL: there is one, if ib_core is loaded */
	bool has_warned[EVENTS_MAX];
};

void events_init(struct events *events, const struct instance *instance, const char *sysfs_path,
	int sysfs_root);

/* Looks whether modules have been loaded, at first or again: the kernel then traces nothing of
 * them. Traces what they have, and disturbs nothing else; of what cannot be traced, says so once.
 */
void events_look(struct events *events);

/* Traces nothing any more. */
void events_end(struct events *events);

#endif
