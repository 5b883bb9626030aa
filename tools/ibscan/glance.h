/* glance - extra scans: a look at the states of devices between two scans, because an event says
 * that they have changed (spec#extra-scans).
 *
 * A glance has threads and descriptors of its own, so a device that hangs in one is no device that
 * hangs in a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_GLANCE_H
#define IBSCAN_GLANCE_H

#include "scanner.h"

struct glance;

/* Extra scans of the devices that `scanner` lists; both are kept, not copied. NULL when memory runs
 * out. */
struct glance *glance_new(struct scanner *scanner, const struct scan_setting *setting);

/* False when a reader still hangs in the kernel: then it stays, and the process can only end. */
bool glance_free(struct glance *glance);

/* The device of this name is to be looked at; NULL: each that the scan before has listed. One that
 * it has not is left to the next. */
void glance_want(struct glance *glance, const char *device);

/* When glance_run() has something to do, CLOCK_MONOTONIC; UINT64_MAX: no device is to be looked
 * at. */
uint64_t glance_due_ns(const struct glance *glance);

/* Looks at the devices whose time has come, and writes an extra scan of those with something new.
 * 0, or -1 with errno: writing failed, or memory ran out. */
int glance_run(struct glance *glance);

#endif
