/* glance - extra scans: reads the states of devices between two scans, because an event says that
 * they have changed (spec#extra-scans).
 *
 * Extra scans have their own threads and descriptors, so a device that hangs in one does not count
 * as hanging in scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_GLANCE_H
#define IBSCAN_GLANCE_H

#include "scanner.h"

struct glance;

/* Prepare extra scans of the devices that `scanner` lists. Both arguments are kept, not copied.
 * Return NULL when memory runs out. */
struct glance *glance_new(struct scanner *scanner, const struct scan_setting *setting);

/* Return false if a reader still hangs in the kernel. Then nothing is freed, and the process can
 * only exit. */
bool glance_free(struct glance *glance);

/* Request an extra scan of this device; NULL: of all devices that the latest scan listed. A device
 * that it did not list is left to the next scan. */
void glance_want(struct glance *glance, const char *device);

/* Return the time of the next glance_run(), CLOCK_MONOTONIC. UINT64_MAX: nothing requested. */
uint64_t glance_due_ns(const struct glance *glance);

/* Read the devices that are due, and write an extra scan of those that show something new. Return
 * 0, or -1 with errno if writing failed or memory ran out. */
int glance_run(struct glance *glance);

#endif
