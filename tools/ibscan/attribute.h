/* attribute - reads one sysfs attribute repeatedly, through a descriptor that stays open while the
 * budget allows it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_ATTRIBUTE_H
#define IBSCAN_ATTRIBUTE_H

#include "ibscan.h"

/* Read the file `name` in the directory `dir`, as sysfs_read() does. The first read keeps its
 * descriptor open if the budget allows it. */
enum sysfs_status attribute_read(
	struct attribute *attribute, int dir, const char *name, char *text, size_t size);

void attribute_close(struct attribute *attribute);

/* Return true if an errno says nothing about one port or file: the device is gone, the scan has
 * given up, or the process is out of memory or descriptors. */
bool attribute_concerns_device(int error);

#endif
