/* device - one device under class/infiniband: opened, read, noticed to be replaced, closed. */
#ifndef IBSCAN_DEVICE_H
#define IBSCAN_DEVICE_H

#include "ibscan.h"

#include <pthread.h>

/* What every reader of devices needs. */
struct device_reading {
	int root;
	const struct scan_config *config;
	pthread_mutex_t *lock; /* guards device->identity */
};

/* A device of this name, not read yet. NULL when memory runs out. */
struct device *device_new(const char *name);

void device_free(struct device *device);

/* Reads the device once, opening it first when it is new, was replaced, or a minute has passed. Blocks for as long as
 * the kernel does. The result is in device->ports and device->error. Runs in a reader's thread. */
void device_read(struct device *device, const struct device_reading *reading);

#endif
