/* memory - what a run of topoclass remembers from scan to scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_MEMORY_H
#define TOPOCLASS_MEMORY_H

#include "classify.h"

#include <jansson.h>

struct memory {
	/* device -> verdict of the last scan in which it could be read, as an integer */
	json_t *verdicts;
	json_t *cards;           /* device -> card it was seen on last */
	json_t *carried_default; /* device -> true: has carried the default route since the start */
	json_t *subs;            /* device -> true: was a part of another when seen last */
};

/* 0, or -1 when memory runs out. Free with memory_fini(). */
int memory_init(struct memory *memory);
void memory_fini(struct memory *memory);

/* The verdict of the last scan in which the device could be read, into `*verdict`. False: there was
 * none. */
bool memory_verdict(const struct memory *memory, const char *device, struct verdict *verdict);

/* Remembers the verdict of a device that could be read. */
void memory_keep(struct memory *memory, const char *device, struct verdict verdict);

#endif
