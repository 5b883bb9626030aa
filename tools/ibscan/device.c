/* device - one device under class/infiniband: opened, read, noticed to be replaced, closed. */
#include "device.h"

#include "identity.h"
#include "num.h"
#include "port.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct device *
device_new(const char *name)
{
	struct device *device = calloc(1, sizeof *device);
	if (device == NULL)
		return NULL;
	device->name = strdup(name);
	if (device->name == NULL) {
		free(device);
		return NULL;
	}
	return device;
}

/* Lets go of everything kept open, so that the next reading starts afresh. */
static void
close_device(struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++)
		port_close(&device->ports[i]);
	free(device->ports);
	/* The descriptors belong to the ports, but for the first two: the device's own and ports/. */
	for (size_t i = 0; i < device->watched_count && i < 2; i++)
		close(device->watched[i].fd);
	free(device->watched);
	device->ports = NULL;
	device->watched = NULL;
	device->port_count = device->watched_count = 0;
	device->open = false;
}

void
device_free(struct device *device)
{
	if (device == NULL)
		return;
	close_device(device);
	identity_free(device->identity);
	free(device->name);
	free(device);
}

/* Remembers a directory whose entries must stay what they are for the kept descriptors to be the right ones. */
static int
watch(struct device *device, int fd)
{
	struct stat status;
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) < 0)
		return errno;
	struct watched_dir *watched =
		realloc(device->watched, (device->watched_count + 1) * sizeof *watched);
	if (watched == NULL)
		return ENOMEM;
	device->watched = watched;
	watched[device->watched_count++] =
		(struct watched_dir){.fd = fd, .modified = status.st_mtim};
	return 0;
}

static bool
was_modified(const struct watched_dir *watched)
{
	struct stat status;
	return fstat(watched->fd, &status) < 0 ||
	       status.st_mtim.tv_sec != watched->modified.tv_sec ||
	       status.st_mtim.tv_nsec != watched->modified.tv_nsec;
}

/* The path of the class entry, and what is behind it now. */
static int
stat_target(const struct device *device, int root, struct stat *status)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "class/infiniband/%s", device->name);
	return fstatat(root, path, status, 0) < 0 ? errno : 0;
}

/* A device of the same name may be another one: after a driver reload, or with its files exchanged under it. */
static bool
is_stale(const struct device *device, int root)
{
	struct stat now;
	if (stat_target(device, root, &now) != 0 || now.st_dev != device->target.st_dev ||
		now.st_ino != device->target.st_ino)
		return true;
	for (size_t i = 0; i < device->watched_count; i++) {
		if (was_modified(&device->watched[i]))
			return true;
	}
	return clock_monotonic_ns() - device->opened_ns >= IBSCAN_REOPEN_NS;
}

/* Makes the identity visible to the scan before anything is read that could hang. */
static int
publish_identity(struct device *device, const struct device_reading *reading)
{
	struct identity *fresh = identity_read_new(reading->root, device->name);
	if (fresh == NULL)
		return ENOMEM;
	pthread_mutex_lock(reading->lock);
	struct identity *old = device->identity;
	device->identity = fresh;
	pthread_mutex_unlock(reading->lock);
	identity_free(old);
	return 0;
}

static int
open_ports(struct device *device, const struct reading *reading, int ports_dir, bool counters)
{
	struct sysfs_names names;
	int error = sysfs_list(ports_dir, IBSCAN_PORTS_MAX, &names) == SYSFS_OK ? 0 : errno;

	device->ports = calloc(names.count + 1, sizeof *device->ports);
	if (device->ports == NULL)
		error = ENOMEM;
	for (size_t i = 0; i < names.count && error == 0; i++) {
		uint64_t number;
		if (num_parse_u64(names.names[i], UINT32_MAX, &number) != NUM_OK)
			continue;
		struct port *port = &device->ports[device->port_count++];
		error = port_open(
			port, reading, device->name, (unsigned)number, device->identity, counters);
		if (error == 0)
			error = watch(device, port->port_dir);
		for (enum counter_group g = 0; g < COUNTER_GROUP_N && error == 0; g++)
			error = watch(device, port->group_dir[g]);
	}
	sysfs_names_fini(&names);
	return error;
}

/* Opens class/infiniband/<name>/<rest> and watches it. An absent directory is no error: `*fd` is then -1. */
static int
open_and_watch(struct device *device, int root, const char *rest, int *fd)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "class/infiniband/%s%s", device->name, rest);
	switch (sysfs_open_dir(root, path, fd)) {
	case SYSFS_OK:
		break;
	case SYSFS_ABSENT:
		return 0;
	case SYSFS_UNREADABLE:
		return errno;
	}
	int error = watch(device, *fd);
	if (error != 0)
		close(*fd);
	return error;
}

static int
open_device(struct device *device, const struct device_reading *with)
{
	struct reading reading = {
		.root = with->root, .config = with->config, .cancelled = &device->cancelled};
	int own_dir = -1, ports_dir = -1;

	int error = stat_target(device, with->root, &device->target);
	if (error != 0)
		return error;
	device->opened_ns = clock_monotonic_ns();
	device->open = true;
	error = publish_identity(device, with);
	if (error == 0)
		error = open_and_watch(device, with->root, "", &own_dir);
	if (error == 0 && own_dir < 0)
		error = ENODEV;
	/* Devices without a ports directory exist; they are read in full all the same. */
	if (error == 0)
		error = open_and_watch(device, with->root, "/ports", &ports_dir);
	if (error == 0 && ports_dir >= 0)
		error = open_ports(device, &reading, ports_dir,
			!device->identity->vf || with->config->vf_counters);
	return error;
}

/* Opens if need be, and reads every port. */
static int
read_device(struct device *device, const struct device_reading *with)
{
	struct reading reading = {
		.root = with->root, .config = with->config, .cancelled = &device->cancelled};

	if (device->open && is_stale(device, with->root))
		close_device(device);
	if (!device->open) {
		int error = open_device(device, with);
		if (error != 0)
			return error;
	}
	int first_error = 0;
	for (size_t i = 0; i < device->port_count; i++) {
		int error = port_read(&device->ports[i], &reading);
		if (error != 0)
			return error;
		if (first_error == 0)
			first_error = device->ports[i].error;
	}
	return first_error;
}

void
device_read(struct device *device, const struct device_reading *reading)
{
	device->error = read_device(device, reading);
	/* Its directory is gone, but perhaps only to be another's: the entry says whether there is a successor. */
	if (device->error == ENODEV && !atomic_load(&device->cancelled)) {
		close_device(device);
		device->error = read_device(device, reading);
	}
	if (device->error == EINTR || device->error == ENODEV || device->error == ENOMEM)
		close_device(device);
}
