/* device - opens, reads and closes one device under class/infiniband; detects its replacement. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"

#include "descriptors.h"
#include "diag.h"
#include "fd.h"
#include "hash.h"
#include "identity.h"
#include "num.h"
#include "slots.h"
#include "uplink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Minimum interval between two checks of a young device's directories. */
#define LOOK_NS (200 * NUM_NS_PER_MS)

struct device *
device_new(const char *name)
{
	struct device *device = calloc(1, sizeof *device);
	if (device == NULL)
		return NULL;
	device->own_dir = device->ports_dir = -1;
	device->name = strdup(name);
	if (device->name == NULL) {
		free(device);
		return NULL;
	}
	return device;
}

/* Close all descriptors. Keep what was read for the scan to report. */
static void
release_descriptors(struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++)
		port_release(&device->ports[i]);
	fd_close(device->own_dir);
	fd_close(device->ports_dir);
	device->own_dir = device->ports_dir = -1;
	free(device->watched);
	device->watched = NULL;
	device->watched_count = 0;
	descriptors_release(device->kept);
	device->kept = 0;
	device->open = false;
}

/* Close the device and drop its ports: the next reading opens it anew. */
static void
close_device(struct device *device)
{
	release_descriptors(device);
	for (size_t i = 0; i < device->port_count; i++)
		port_close(&device->ports[i]);
	free(device->ports);
	device->ports = NULL;
	device->port_count = 0;
}

void
device_free(struct device *device)
{
	if (device == NULL)
		return;
	close_device(device);
	identity_free(device->identity);
	strbuf_fini(&device->text.rest);
	free(device->name);
	free(device);
}

/* Watch a directory. If its entries change, the kept descriptors may belong to replaced files.
 * Return 0, or an errno. */
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
	watched[device->watched_count++] = (struct watched_dir){
		.fd = fd, .links = status.st_nlink, .modified = status.st_mtim};
	return 0;
}

static bool
was_modified(const struct watched_dir *watched)
{
	struct stat status;
	return fstat(watched->fd, &status) < 0 || status.st_nlink != watched->links ||
	       status.st_mtim.tv_sec != watched->modified.tv_sec ||
	       status.st_mtim.tv_nsec != watched->modified.tv_nsec;
}

/* Stat the target of the class link. Return 0, or an errno. */
static int
stat_target(const struct device *device, int root, struct stat *status)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "class/infiniband/%s", device->name);
	return sysfs_stat(root, path, status) == SYSFS_OK ? 0 : errno;
}

/* Return true if the target of the class link was replaced, or an entry was added or removed since
 * the device was opened, perhaps before it was complete. */
static bool
has_changed(const struct device *device, int root)
{
	struct stat now;
	if (stat_target(device, root, &now) != 0 || now.st_dev != device->target.st_dev ||
		now.st_ino != device->target.st_ino)
		return true;
	for (size_t i = 0; i < device->watched_count; i++) {
		if (was_modified(&device->watched[i]))
			return true;
	}
	return false;
}

/* Return true if the device must be opened anew. After a driver reload another device may have the
 * same name; the inode of its class entry then differs. */
static bool
is_stale(struct device *device, int root)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (atomic_load(&device->entry) != device->opened_entry || now_ns >= device->reopen_ns)
		return true;
	if (now_ns >= atomic_load(&device->young_until_ns) || now_ns < device->next_look_ns)
		return false;
	device->next_look_ns = now_ns + LOOK_NS;
	return has_changed(device, root);
}

static uint64_t
next_opening_ns(const struct device *device)
{
	uint64_t early_ns = hash_bytes(HASH_START, device->name, strlen(device->name)) %
			    IBSCAN_REOPEN_SPREAD_NS;
	return clock_monotonic_ns() + IBSCAN_REOPEN_NS - early_ns;
}

/* Store a new identity, owned by the device from now on, so that the scan sees it before the reader
 * reads anything that can hang. Return 0, or an errno. */
static int
publish_identity(struct device *device, const struct reading *reading, struct identity *fresh)
{
	if (fresh == NULL)
		return errno;
	/* The scan interrupted the reading: missing values may exist. */
	if (atomic_load(&device->cancelled)) {
		identity_free(fresh);
		return EINTR;
	}
	pthread_mutex_lock(reading->lock);
	struct identity *old = device->identity;
	device->identity = fresh;
	device->identity_number++;
	pthread_mutex_unlock(reading->lock);
	identity_free(old);
	return 0;
}

static int
open_port(struct device *device, const struct reading *reading, unsigned number, bool is_uplink,
	bool counters)
{
	struct port *port = &device->ports[device->port_count++];
	int error = port_open(
		port, reading, device->name, number, device->identity, is_uplink, counters);
	if (error == 0)
		error = watch(device, port->port_dir);
	for (enum counter_group g = 0; g < COUNTER_GROUP_N && error == 0; g++)
		error = watch(device, port->group_dir[g]);
	return error;
}

/* In switchdev mode open port 1 only, for the uplink: the others stand for representors, and their
 * number has no useful limit. */
static int
open_ports(struct device *device, const struct reading *reading, int ports_dir, bool counters)
{
	struct sysfs_names names = {0};
	bool is_switchdev;
	int error = uplink_detect(reading->root, device->name, device->identity, &is_switchdev);
	if (error == 0 && !is_switchdev &&
		sysfs_list(ports_dir, IBSCAN_PORTS_MAX, &names) != SYSFS_OK)
		error = errno;

	device->ports = calloc(names.count + 1, sizeof *device->ports);
	if (device->ports == NULL)
		error = ENOMEM;
	if (error == 0 && is_switchdev)
		error = open_port(device, reading, 1, true, counters);
	for (size_t i = 0; i < names.count && error == 0; i++) {
		uint64_t number;
		if (num_parse_u64(names.names[i], UINT32_MAX, &number) == NUM_OK)
			error = open_port(device, reading, (unsigned)number, false, counters);
	}
	sysfs_names_fini(&names);
	return error;
}

/* Open class/infiniband/<name>/<rest> and watch it. If the directory is absent, set `*fd` to -1 and
 * return 0. Else return 0 or an errno. */
static int
open_and_watch(struct device *device, int root, const char *rest, int *fd)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "class/infiniband/%s%s", device->name, rest);
	switch (sysfs_open_dir(root, path, fd)) {
	case SYSFS_OK:
		return watch(device, *fd);
	case SYSFS_ABSENT:
		return 0;
	case SYSFS_UNREADABLE:
		break;
	}
	return errno;
}

/* Keep the directories open if the budget allows it. Else the device is opened for each reading. */
static void
budget_directories(struct device *device)
{
	long directories = 2 + PORT_DIRECTORIES * (long)device->port_count;
	device->frugal = !descriptors_reserve(directories);
	device->kept = device->frugal ? 0 : directories;
}

/* The kernel registers no device without ports (alloc_port_data() in
 * drivers/infiniband/core/device.c), but lists the device before it creates the ports and until
 * after it removed them. So a device without ports is being added or removed. Only an entry that
 * has no driver and no interface, and never had a port, may be something else. */
static bool
is_without_its_ports(struct device *device)
{
	device->had_ports |= device->port_count > 0;
	return device->port_count == 0 && (device->had_ports || device->identity->driver != NULL ||
						  device->identity->netdev_count > 0);
}

static int
open_device(struct device *device, const struct reading *with)
{
	int error = 0;
	device->opened_entry = atomic_load(&device->entry);
	/* Keep a known identity. For a device that was never read, links at least show its PCI
	 * function and driver. */
	if (device->identity == NULL)
		error = publish_identity(
			device, with, identity_of_entry_new(with->root, device->name));
	if (error == 0)
		error = stat_target(device, with->root, &device->target);
	if (error != 0)
		return error;
	device->reopen_ns = next_opening_ns(device);
	error = publish_identity(device, with, identity_read_new(with->root, device->name));
	if (error == 0)
		error = open_and_watch(device, with->root, "", &device->own_dir);
	if (error == 0 && device->own_dir < 0)
		error = ENODEV;
	if (error == 0)
		error = open_and_watch(device, with->root, "/ports", &device->ports_dir);
	if (error == 0 && device->ports_dir >= 0)
		error = open_ports(device, with, device->ports_dir,
			!device->identity->vf || with->config->vf_counters);
	if (error == 0 && is_without_its_ports(device))
		error = DEVICE_NO_PORTS;
	if (error != 0) {
		close_device(device);
		return error;
	}
	device->open = true;
	budget_directories(device);
	diag_debug("%s: opened, %zu ports%s", device->name, device->port_count,
		device->frugal ? ", without room to keep it open" : "");
	return 0;
}

/* Return true if a port's files are missing, because the device is being added or removed. The open
 * directory does not show when they appear, and files that are read once per opening need a new
 * opening. */
static bool
is_unfinished(const struct device *device)
{
	for (size_t i = 0; i < device->port_count; i++) {
		if (device->ports[i].open_error != 0)
			return true;
	}
	return device->error == ENOENT;
}

/* Open the device if necessary and read every port. Return 0, or the first errno. */
static int
read_device(struct device *device, const struct reading *with)
{
	if (!device->open || is_unfinished(device) || is_stale(device, with->root)) {
		close_device(device);
		int error = open_device(device, with);
		if (error != 0)
			return error;
	}
	int first_error = 0;
	for (size_t i = 0; i < device->port_count; i++) {
		struct port *port = &device->ports[i];
		atomic_store(&device->reads_counters, false);
		int error = port_read(port);
		if (error == 0 && port->open_error == 0) {
			atomic_store(&device->reads_counters, true);
			error = slots_read(port, &device->cancelled);
		}
		if (error != 0)
			return error;
		if (first_error == 0)
			first_error = device->ports[i].error;
	}
	return first_error;
}

void
device_read(struct device *device, const struct reading *reading)
{
	atomic_store(&device->reads_counters, false);
	device->error = read_device(device, reading);
	/* The directory is gone, perhaps because another device replaced it: open the device again
	 * by its name. */
	if (device->error == ENODEV && !atomic_load(&device->cancelled)) {
		close_device(device);
		device->error = read_device(device, reading);
	}
	if (device->error == EINTR || device->error == ENODEV || device->error == ENOMEM)
		close_device(device);
	else if (device->frugal)
		release_descriptors(device);
}

const char *
device_error_name(const struct device *device)
{
	switch (device->error) {
	case 0:
		return NULL;
	case DEVICE_NO_PORTS:
		return "no_ports";
	default:
		return sysfs_errno_name(device->error);
	}
}
