/* memory - what a run of topoclass remembers from scan to scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_MEMORY_H
#define TOPOCLASS_MEMORY_H

#include "classify.h"

#include <jansson.h>

struct memory {
	/* By the device's name, and by the address of its PCI function, as names may be exchanged:
	 * the verdict of the last scan in which it could be read, as an integer, ... */
	json_t *verdicts;
	json_t *carried_default; /* ... and true: has carried the default route since the start */
	json_t *addresses;       /* device -> PCI address it was seen at last */
	json_t *cards;           /* device -> card it was seen on last */
	json_t *subs;            /* device -> true: was a part of another when seen last */
};

/* 0, or -1 when memory runs out. Free with memory_fini(). */
int memory_init(struct memory *memory);
void memory_fini(struct memory *memory);

/* A device has this name now, and is at this address, NULL when that is not known. If it had
 * another name before, what is remembered of it goes along, in the place of what was remembered of
 * who had the name. `function` is the address by which it is known, NULL when it has none of its
 * own. */
void memory_meet(struct memory *memory, const char *device, const char *pci, const char *function);

/* The verdict of the last scan in which the device could be read, into `*verdict`. False: there was
 * none. */
bool memory_verdict(const struct memory *memory, const char *device, struct verdict *verdict);

/* Remembers the verdict of a device that could be read. `function` is the address of its own PCI
 * function, NULL when it has none, or is not known. */
void memory_keep(
	struct memory *memory, const char *device, const char *function, struct verdict verdict);

/* Remembers that the device has carried the default route. */
void memory_keep_carried(struct memory *memory, const char *device, const char *function);

#endif
