/* port - one port of a device: opened once, read at every scan through kept descriptors. */
#include "port.h"

#include "config.h"
#include "descriptors.h"
#include "identity.h"
#include "num.h"
#include "parse.h"
#include "utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often the state of a port that changes while it is read is read again, at most. */
#define STATE_TURNS_MAX 4

static void
attribute_close(struct attribute *attribute)
{
	if (attribute->fd >= 0) {
		close(attribute->fd);
		descriptors_give(1);
	}
	attribute->fd = -1;
}

/* Errors that say nothing about one port or file: the device is gone, the scan has given up, or the process has no room. */
static bool
concerns_device(int error)
{
	return error == ENODEV || error == EINTR || error == EMFILE || error == ENFILE ||
	       error == ENOMEM;
}

/* One read; the first one through a new descriptor keeps it when the budget allows. */
static enum sysfs_status
attribute_read(struct attribute *attribute, int dir, const char *name, char *text, size_t size)
{
	enum sysfs_status status;

	if (attribute->fd >= 0)
		return sysfs_pread(attribute->fd, text, size);

	int fd;
	status = sysfs_open_attribute(dir, name, &fd);
	if (status != SYSFS_OK)
		return status;
	status = sysfs_pread(fd, text, size);
	int saved_errno = errno;
	/* A pipe in the place of an attribute gives its answer once. */
	if (status == SYSFS_OK && lseek(fd, 0, SEEK_CUR) == 0 && descriptors_take(1))
		attribute->fd = fd;
	else
		close(fd);
	errno = saved_errno;
	return status;
}

/* Copies a raw text into a value, as valid UTF-8. */
static void
set_text(struct text_value *value, const char *raw)
{
	value->present = true;
	utf8_sanitize(raw, strlen(raw), value->text, sizeof value->text);
}

static bool
text_is_same(const struct text_value *left, const struct text_value *right)
{
	return left->present == right->present &&
	       (!left->present || strcmp(left->text, right->text) == 0);
}

/* Reads state, phys_state or operstate. Absent is a value of its own; returns the errno of what cannot be read. */
static int
read_state_text(struct attribute *attribute, int dir, const char *name, struct text_value *value)
{
	char raw[SYSFS_TEXT_MAX];

	value->present = false;
	if (dir < 0)
		return 0;
	switch (attribute_read(attribute, dir, name, raw, sizeof raw)) {
	case SYSFS_OK:
		set_text(value, raw);
		return 0;
	case SYSFS_ABSENT:
		return 0;
	case SYSFS_UNREADABLE:
		break;
	}
	return errno;
}

/* Attributes that are read rarely are opened for it. What cannot be read is not there: none of them is evidence. */
static void
read_rare_text(const struct port *port, const char *name, struct text_value *value)
{
	char raw[SYSFS_TEXT_MAX];

	value->present = false;
	if (sysfs_read(port->port_dir, name, raw, sizeof raw) == SYSFS_OK)
		set_text(value, raw);
}

/* Each of these makes mlx5 ask its firmware, and they follow the state. */
static void
read_link_texts(struct port *port)
{
	read_rare_text(port, "rate", &port->rate);
	read_rare_text(port, "lid", &port->lid);
	read_rare_text(port, "sm_lid", &port->sm_lid);
}

static void
read_gids(struct port *port, int root, const char *base)
{
	char path[PATH_MAX], raw[SYSFS_TEXT_MAX];
	struct sysfs_names indices = {0};
	int dir;

	port->gids = (struct gid_counts){0};
	snprintf(path, sizeof path, "%s/gids", base);
	if (sysfs_open_dir(root, path, &dir) != SYSFS_OK)
		return;
	if (sysfs_list(dir, IBSCAN_FILES_MAX, &indices) == SYSFS_OK) {
		port->gids.known = true;
		for (size_t i = 0; i < indices.count; i++) {
			if (sysfs_read(dir, indices.names[i], raw, sizeof raw) != SYSFS_OK)
				continue;
			enum parse_gid kind = parse_gid(raw);
			if (kind == GID_UNUSED)
				continue;
			port->gids.total++;
			port->gids.ipv4_mapped += kind == GID_IPV4_MAPPED;
			snprintf(
				path, sizeof path, "%s/gid_attrs/types/%s", base, indices.names[i]);
			if (sysfs_read_path(root, path, raw, sizeof raw) == SYSFS_OK &&
				strcmp(raw, "RoCE v2") == 0)
				port->gids.roce_v2++;
		}
	}
	sysfs_names_fini(&indices);
	close(dir);
}

/* What a counter is called becomes a key in a record, and part of a key in the state file. */
static bool
is_counter_name(const char *file)
{
	size_t length = strlen(file);
	return length <= IBSCAN_COUNTER_NAME_MAX &&
	       strspn(file, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
		       length;
}

static int
add_slot(struct port *port, enum counter_group group, const char *file)
{
	if (port->slot_count == IBSCAN_COUNTERS_MAX || !is_counter_name(file))
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

/* Adds a slot for each file of a group's directory that is wanted. */
static int
add_slots(struct port *port, const struct scan_config *config, enum counter_group group)
{
	int dir = port->group_dir[group];
	if (dir < 0)
		return 0;
	/* The interface's own directory is full of settings; of itself only one file in it counts something. */
	if (group == COUNTER_INTERFACE && config->choice == COUNTERS_ALL)
		return add_slot(port, group, "carrier_changes");

	struct sysfs_names files;
	int error = 0;
	if (sysfs_list(dir, IBSCAN_FILES_MAX, &files) != SYSFS_OK)
		error = errno;
	for (size_t i = 0; i < files.count && error == 0; i++) {
		if (scan_config_wants_counter(config, group, files.names[i]))
			error = add_slot(port, group, files.names[i]);
	}
	sysfs_names_fini(&files);
	return error;
}

/* Opens the directory of each group there is, and lists what is to be read in it. A directory that is absent has no
 * counters, which is normal; one that cannot be opened or listed is the same to us, since single counters are no
 * evidence about a device. */
static int
open_counters(struct port *port, const struct reading *reading, const char *base)
{
	char path[PATH_MAX];

	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		if (group == COUNTER_STATISTICS && port->group_dir[COUNTER_INTERFACE] >= 0)
			snprintf(path, sizeof path, "class/net/%s/statistics", port->netdev);
		else if (group == COUNTER_PORT || group == COUNTER_HW)
			snprintf(path, sizeof path, "%s/%s", base, counter_group_key(group));
		else
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

/* Which interface is the port's. The kernel's GID table knows, where there is more than one to choose from. */
static int
find_netdev(struct port *port, int root, const char *base, const struct identity *identity)
{
	char path[PATH_MAX], raw[SYSFS_TEXT_MAX];
	const char *from_gids = NULL;

	snprintf(path, sizeof path, "%s/gid_attrs/ndevs/0", base);
	if (identity->netdev_count != 1 &&
		sysfs_read_path(root, path, raw, sizeof raw) == SYSFS_OK && sysfs_is_name(raw) &&
		strlen(raw) <= NAME_MAX)
		from_gids = raw;

	const char *name = identity_port_netdev(identity, port->number, from_gids);
	if (name == NULL && identity->netdev_count == 0)
		name = from_gids;
	if (name == NULL)
		return 0;
	port->netdev = strdup(name);
	if (port->netdev == NULL)
		return ENOMEM;
	snprintf(path, sizeof path, "class/net/%s", name);
	sysfs_open_dir(root, path, &port->group_dir[COUNTER_INTERFACE]);
	return 0;
}

int
port_open(struct port *port, const struct reading *reading, const char *device, unsigned number,
	const struct identity *identity, bool counters)
{
	char base[PATH_MAX - 64];

	*port = (struct port){
		.number = number,
		.port_dir = -1,
		.group_dir = {-1, -1, -1, -1},
		.state_attribute.fd = -1,
		.phys_state_attribute.fd = -1,
		.operstate_attribute.fd = -1,
	};
	snprintf(base, sizeof base, "class/infiniband/%s/ports/%u", device, number);
	if (sysfs_open_dir(reading->root, base, &port->port_dir) != SYSFS_OK) {
		port->open_error = errno;
		return concerns_device(errno) ? errno : 0;
	}
	read_rare_text(port, "link_layer", &port->link_layer);
	read_link_texts(port);

	int error = find_netdev(port, reading->root, base, identity);
	if (error == 0 && reading->config->gids)
		read_gids(port, reading->root, base);
	if (error == 0 && counters && reading->config->choice != COUNTERS_NONE)
		error = open_counters(port, reading, base);
	return error;
}

/* Reads one counter. Whatever keeps it from being a number leaves it out of the record; returns ENODEV and EINTR,
 * which say something about the whole device. */
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
	/* What the kernel says no to once it will say no to again, and on mlx5 every such question is a line in its log
	 * (ACCESS_REG ... failed). */
	slot->attribute.refused = !concerns_device(errno);
	return errno == ENODEV || errno == EINTR ? errno : 0;
}

static int
read_phys_state(struct port *port)
{
	port->error = read_state_text(
		&port->phys_state_attribute, port->port_dir, "phys_state", &port->phys_state);
	return port->error;
}

/* Each of the two asks the port anew, so a port that changes between them would be seen as it never was: a cable pulled as DOWN with LinkUp, which on InfiniBand is
 * fatal, where DOWN with Polling is not. Where something is new, the first is therefore read again behind the second, until it is the same before and after. */
static int
read_port_states(struct port *port)
{
	const struct text_value state = port->state, phys_state = port->phys_state;

	if (read_phys_state(port) != 0)
		return port->error;
	for (int turn = 0; turn < STATE_TURNS_MAX; turn++) {
		port->error = read_state_text(
			&port->state_attribute, port->port_dir, "state", &port->state);
		if (port->error != 0 || (text_is_same(&state, &port->state) &&
						text_is_same(&phys_state, &port->phys_state)))
			return port->error;
		const struct text_value before = port->phys_state;
		if (read_phys_state(port) != 0 || text_is_same(&before, &port->phys_state))
			return port->error;
	}
	return 0;
}

static int
read_states(struct port *port)
{
	read_port_states(port);
	if (port->error == ENODEV || port->error == EINTR)
		return port->error;

	int error = read_state_text(&port->operstate_attribute, port->group_dir[COUNTER_INTERFACE],
		"operstate", &port->operstate);
	/* The interface may go and leave the RDMA device behind; that is not the port's end. */
	return error == EINTR ? error : 0;
}

int
port_read(struct port *port, const struct reading *reading)
{
	struct text_value state = port->state, phys_state = port->phys_state;

	port->error = port->open_error;
	if (port->error != 0)
		return 0;
	clock_now(&port->when);
	int error = read_states(port);
	if (error != 0)
		return error;
	if (state.present && !(text_is_same(&state, &port->state) &&
				     text_is_same(&phys_state, &port->phys_state)))
		read_link_texts(port);

	for (size_t i = 0; i < port->slot_count; i++) {
		if (atomic_load_explicit(reading->cancelled, memory_order_relaxed))
			return EINTR;
		error = read_slot(&port->slots[i], port->group_dir[port->slots[i].group]);
		if (error != 0)
			return error;
	}
	return 0;
}

void
port_release(struct port *port)
{
	for (size_t i = 0; i < port->slot_count; i++)
		attribute_close(&port->slots[i].attribute);
	attribute_close(&port->state_attribute);
	attribute_close(&port->phys_state_attribute);
	attribute_close(&port->operstate_attribute);
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		if (port->group_dir[group] >= 0)
			close(port->group_dir[group]);
		port->group_dir[group] = -1;
	}
	if (port->port_dir >= 0)
		close(port->port_dir);
	port->port_dir = -1;
}

void
port_close(struct port *port)
{
	port_release(port);
	for (size_t i = 0; i < port->slot_count; i++)
		free(port->slots[i].file);
	free(port->slots);
	free(port->netdev);
	json_decref(port->record);
	*port = (struct port){0};
}
