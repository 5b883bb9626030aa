/* attribute - one attribute of sysfs that is read again and again, through a descriptor that is
 * kept open as long as there is room for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_ATTRIBUTE_H
#define IBSCAN_ATTRIBUTE_H

#include "ibscan.h"

/* Reads file `name` of the directory `dir` as sysfs_read() does. The first read through a new
 * descriptor keeps it when the budget allows. */
enum sysfs_status attribute_read(
	struct attribute *attribute, int dir, const char *name, char *text, size_t size);

void attribute_close(struct attribute *attribute);

/* True for an errno that says nothing about one port or file: the device is gone, the scan has
 * given up, or the process has no room. */
bool attribute_concerns_device(int error);

#endif
