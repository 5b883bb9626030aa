/* memory - what a run of topoclass remembers between scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_MEMORY_H
#define TOPOCLASS_MEMORY_H

#include "classify.h"

#include <jansson.h>

struct memory {
	/* These two by the device's name and by its PCI address, as names may be exchanged: the
	 * verdict of the last scan in which the device was readable, packed into an integer ... */
	json_t *verdicts;
	json_t *carried_default; /* ... and true if it has ever carried the default route */
	json_t *addresses;       /* device -> PCI address where last seen */
	json_t *cards;           /* device -> card where last seen */
	json_t *subs;            /* device -> true if last seen as a part of another */
};

/* Return 0, or -1 when memory ran out. Free with memory_fini(). */
int memory_init(struct memory *memory);
void memory_fini(struct memory *memory);

/* Record that a device has this name and this PCI address (NULL: unknown). If it had another name,
 * what is remembered of it moves to the new name and replaces what was remembered of the name's
 * last device. `function`: the address of the device's own function, or NULL. */
void memory_meet(struct memory *memory, const char *device, const char *pci, const char *function);

/* Get the verdict of the last scan in which the device was readable. Return false if there is
 * none. */
bool memory_verdict(const struct memory *memory, const char *device, struct verdict *verdict);

/* Remember the verdict on a readable device. `function`: the address of its own PCI function; NULL
 * if it has none or it is unknown. */
void memory_keep(
	struct memory *memory, const char *device, const char *function, struct verdict verdict);

/* Remember that the device has carried the default route. */
void memory_keep_carried(struct memory *memory, const char *device, const char *function);

/* Forgets which devices have carried it. */
void memory_forget_carried(struct memory *memory);

#endif
