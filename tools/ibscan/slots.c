/* slots - the counters of a port. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include "attribute.h"
#include "config.h"
#include "num.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return true if the name can be a key in a record without escapes. Some of irdma's have blanks. */
static bool
is_counter_name(const char *file)
{
	static const char allowed[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-. ";
	size_t length = strlen(file);
	return length <= IBSCAN_COUNTER_NAME_MAX && strspn(file, allowed) == length;
}

/* Return true if a counter of this name is already in the record's map for the interface, which two
 * groups share. */
static bool
is_in_map(const struct port *port, enum counter_group group, const char *file)
{
	for (size_t i = 0; group == COUNTER_INTERFACE && i < port->slot_count; i++) {
		if (port->slots[i].group == COUNTER_STATISTICS &&
			strcmp(port->slots[i].file, file) == 0)
			return true;
	}
	return false;
}

static int
add_slot(struct port *port, enum counter_group group, const char *file)
{
	if (port->slot_count == IBSCAN_COUNTERS_MAX || !is_counter_name(file) ||
		is_in_map(port, group, file))
		return 0;
	struct counter_slot *slots = realloc(port->slots, (port->slot_count + 1) * sizeof *slots);
	if (slots == NULL)
		return ENOMEM;
	port->slots = slots;
	slots[port->slot_count] =
		(struct counter_slot){.group = group, .file = strdup(file), .attribute.fd = -1};
	if (slots[port->slot_count].file == NULL)
		return ENOMEM;
	port->slot_count++;
	return 0;
}

/* Append a slot for each wanted file in the group's directory. Return 0, or an errno. */
static int
add_slots(struct port *port, const struct scan_config *config, enum counter_group group)
{
	int dir = port->group_dir[group];
	if (dir < 0)
		return 0;
	/* The interface's own directory is full of settings. Only one file in it is a counter. */
	if (group == COUNTER_INTERFACE && config->choice == COUNTERS_ALL)
		return add_slot(port, group, "carrier_changes");

	struct sysfs_names files;
	int error = 0;
	if (sysfs_list(dir, IBSCAN_FILES_MAX, &files) != SYSFS_OK)
		error = errno;
	for (size_t i = 0; i < files.count && error == 0; i++) {
		if (config_wants_counter(config, group, files.names[i], port->vendor))
			error = add_slot(port, group, files.names[i]);
	}
	sysfs_names_fini(&files);
	return error;
}

/* Format the path of the group's directory. Return false if the port does not have that group, or
 * if the directory is open already. Port 1 of an EFA adapter also shows the adapter's counters. */
static bool
name_directory(
	const struct port *port, const char *device, enum counter_group group, char path[PATH_MAX])
{
	switch (group) {
	case COUNTER_PORT:
	case COUNTER_HW:
		snprintf(path, PATH_MAX, "class/infiniband/%s/ports/%u/%s", device, port->number,
			counter_group_key(group));
		return true;
	case COUNTER_DEVICE_HW:
		snprintf(path, PATH_MAX, "class/infiniband/%s/hw_counters", device);
		return port->shows_device;
	case COUNTER_STATISTICS:
		snprintf(path, PATH_MAX, "class/net/%s/statistics", port->netdev);
		return port->group_dir[COUNTER_INTERFACE] >= 0;
	case COUNTER_INTERFACE:
	case COUNTER_GROUP_N:
		break;
	}
	return false;
}

int
slots_open(struct port *port, const struct reading *reading, const char *device)
{
	char path[PATH_MAX];

	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		if (!name_directory(port, device, group, path))
			continue;
		if (sysfs_open_dir(reading->root, path, &port->group_dir[group]) ==
				SYSFS_UNREADABLE &&
			(errno == EINTR || errno == ENODEV))
			return errno;
	}
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		int error = add_slots(port, reading->config, group);
		if (error == ENOMEM || error == EINTR || error == ENODEV)
			return error;
	}
	return 0;
}

/* Read one counter. If it cannot be read or is no number, the record omits it. Return 0, or ENODEV
 * or EINTR, which concern the whole device. */
static int
read_slot(struct counter_slot *slot, int dir)
{
	char raw[SYSFS_TEXT_MAX];

	slot->has_value = false;
	if (slot->attribute.refused)
		return 0;
	if (attribute_read(&slot->attribute, dir, slot->file, raw, sizeof raw) == SYSFS_OK) {
		slot->has_value = num_parse_u64(raw, UINT64_MAX, &slot->value) == NUM_OK;
		return 0;
	}
	/* The kernel would reject the next read as well, and on mlx5 each rejected read adds a line
	 * to the kernel log (ACCESS_REG ... failed). */
	slot->attribute.refused = !attribute_concerns_device(errno);
	return errno == ENODEV || errno == EINTR ? errno : 0;
}

int
slots_read(struct port *port, const atomic_bool *cancelled)
{
	for (size_t i = 0; i < port->slot_count; i++) {
		if (atomic_load_explicit(cancelled, memory_order_relaxed))
			return EINTR;
		int error = read_slot(&port->slots[i], port->group_dir[port->slots[i].group]);
		if (error != 0)
			return error;
	}
	return 0;
}

void
slots_release(struct port *port)
{
	for (size_t i = 0; i < port->slot_count; i++)
		attribute_close(&port->slots[i].attribute);
}

void
slots_fini(struct port *port)
{
	for (size_t i = 0; i < port->slot_count; i++)
		free(port->slots[i].file);
	free(port->slots);
	port->slots = NULL;
	port->slot_count = 0;
}
