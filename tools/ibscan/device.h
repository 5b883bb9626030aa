/* device - one device under class/infiniband: opened, read, noticed to be replaced, closed
 * (kernel#removed-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_DEVICE_H
#define IBSCAN_DEVICE_H

#include "port.h"

/* A device of this name, not read yet. NULL when memory runs out. */
struct device *device_new(const char *name);

void device_free(struct device *device);

/* Reads the device once, opening it first when it is new, was replaced, or a minute has passed.
 * Blocks for as long as the kernel does. The result is in device->ports and device->error. Runs in
 * a reader's thread. */
void device_read(struct device *device, const struct reading *reading);

/* What is wrong with the latest reading, as records have it; NULL when nothing is. */
const char *device_error_name(const struct device *device);

#endif
