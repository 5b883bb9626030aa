/* device - opens, reads and closes one device under class/infiniband; detects its replacement
 * (kernel#removed-device). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBSCAN_DEVICE_H
#define IBSCAN_DEVICE_H

#include "port.h"

/* Return a new device that was not read yet, or NULL when memory runs out. */
struct device *device_new(const char *name);

void device_free(struct device *device);

/* Read the device once. Open it first if it is new, was replaced, or was opened a minute ago. Block
 * as long as the kernel does. The result is in device->ports and device->error. Runs in a reader's
 * thread. */
void device_read(struct device *device, const struct reading *reading);

/* Return the error of the latest reading, as named in records. NULL: no error. */
const char *device_error_name(const struct device *device);

#endif
