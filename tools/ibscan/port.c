/* port - opens one port of a device and reads its states, link and network interface. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "port.h"

#include "attribute.h"
#include "fd.h"
#include "identity.h"
#include "layer.h"
#include "parse.h"
#include "slots.h"
#include "uplink.h"
#include "utf8.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How often to read a state that changes during the reading, at most. */
#define STATE_TURNS_MAX 4

/* Copy a raw text into a value as valid UTF-8. Nearly always the value has it already. */
static void
set_text(struct text_value *value, const char *raw)
{
	value->present = true;
	if (strcmp(raw, value->text) != 0)
		utf8_sanitize(raw, strlen(raw), value->text, sizeof value->text);
}

static bool
text_is_same(const struct text_value *left, const struct text_value *right)
{
	return left->present == right->present &&
	       (!left->present || strcmp(left->text, right->text) == 0);
}

/* Read state, phys_state or operstate. Return 0, or an errno; ENOENT: there is no such file. */
static int
read_state_text(struct attribute *attribute, int dir, const char *name, struct text_value *value)
{
	char raw[SYSFS_TEXT_MAX];

	value->present = false;
	if (dir < 0)
		return ENOENT;
	if (attribute_read(attribute, dir, name, raw, sizeof raw) != SYSFS_OK)
		return errno;
	set_text(value, raw);
	return 0;
}

/* Read an attribute that is rarely read and therefore not kept open. An unreadable one counts as
 * absent, because it is no evidence against the port, except link_layer, as port_open() checks. */
static enum sysfs_status
read_rare_text(const struct port *port, const char *name, struct text_value *value)
{
	char raw[SYSFS_TEXT_MAX];

	value->present = false;
	enum sysfs_status status = sysfs_read(port->port_dir, name, raw, sizeof raw);
	if (status == SYSFS_OK)
		set_text(value, raw);
	return status;
}

/* Call it at opening and when a state changed: these follow the state, and reading each makes mlx5
 * query its firmware. */
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
			enum sysfs_status status =
				sysfs_read(dir, indices.names[i], raw, sizeof raw);
			/* An unreadable GID may be valid. */
			port->gids.known &= status != SYSFS_UNREADABLE;
			if (status != SYSFS_OK)
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

/* Return true if the interface `name` is on the PCI function `pci`. The GID table may name an
 * interface in another network namespace, such as a container's, whose root may give it the name of
 * any interface of this node. */
static bool
is_of_function(int root, const char *name, const char *pci)
{
	char path[PATH_MAX], lines[SYSFS_TEXT_MAX], slot[NAME_MAX + 1];
	snprintf(path, sizeof path, "class/net/%s/device/uevent", name);
	return pci != NULL && sysfs_read_lines(root, path, lines, sizeof lines) == SYSFS_OK &&
	       parse_uevent(lines, "PCI_SLOT_NAME", slot, sizeof slot) && strcmp(slot, pci) == 0;
}

/* Find the port's interface and open its directory. If the function has several, or none of its
 * own, the GID table names the port's. Return 0, or ENOMEM. */
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
	if (name == NULL && identity->netdev_count == 0 && from_gids != NULL &&
		is_of_function(root, from_gids, identity->pci))
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
	const struct identity *identity, bool is_uplink, bool counters)
{
	char base[PATH_MAX - 64];

	*port = (struct port){
		.number = number,
		.is_uplink = is_uplink,
		.port_dir = -1,
		.uplink_dir = -1,
		.state_attribute.fd = -1,
		.phys_state_attribute.fd = -1,
		.operstate_attribute.fd = -1,
		.carrier_attribute.fd = -1,
	};
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++)
		port->group_dir[group] = -1;
	port->vendor = vendor_find(identity->driver, identity->vendor);
	port->efa = port->vendor == VENDOR_AMAZON;
	port->shows_device = port->efa && number == 1;
	snprintf(base, sizeof base, "class/infiniband/%s/ports/%u", device, number);
	if (sysfs_open_dir(reading->root, base, &port->port_dir) != SYSFS_OK) {
		port->open_error = errno;
		return attribute_concerns_device(errno) ? errno : 0;
	}
	/* The kernel creates link_layer last of a port's files. Without it, the check to which the
	 * port belongs is unknown. */
	enum sysfs_status status = read_rare_text(port, "link_layer", &port->link_layer);
	if (status != SYSFS_OK) {
		port->open_error = status == SYSFS_ABSENT ? ENOENT : errno;
		return 0;
	}
	if (*port->link_layer.text == '\0') {
		port->open_error = ENODATA;
		return 0;
	}
	/* The kernel writes `Unknown`, which other devices have, too. */
	if (port->efa)
		set_text(&port->link_layer, layer_name(LAYER_EFA));
	read_link_texts(port);

	int error = find_netdev(port, reading->root, base, identity);
	if (is_uplink && port->netdev != NULL)
		uplink_open(reading->root, port->netdev, &port->uplink_dir);
	if (error == 0 && reading->config->gids && !is_uplink)
		read_gids(port, reading->root, base);
	if (error == 0 && counters && reading->config->choice != COUNTERS_NONE)
		error = slots_open(port, reading, device);
	return error;
}

/* The states of a port and of its interface, as in the previous scan. */
struct port_states {
	struct text_value state, phys_state, operstate;
};

static bool
states_are(const struct port *port, const struct port_states *states)
{
	return text_is_same(&states->state, &port->state) &&
	       text_is_same(&states->phys_state, &port->phys_state);
}

/* Read state or phys_state. An empty text is an error: the kernel has a name for every state. */
static int
read_port_state(
	struct port *port, struct attribute *attribute, const char *name, struct text_value *value)
{
	port->error = read_state_text(attribute, port->port_dir, name, value);
	if (port->error == 0 && *value->text == '\0')
		port->error = ENODATA;
	return port->error;
}

static int
read_phys_state(struct port *port)
{
	return read_port_state(port, &port->phys_state_attribute, "phys_state", &port->phys_state);
}

/* Each file queries the port anew, so a change between the two would give a pair of states that
 * never existed: a pulled cable as DOWN with LinkUp, which is fatal on InfiniBand, while DOWN with
 * Polling is not. If a state changed since the last scan, therefore read phys_state again after
 * state, until it is the same before and after. */
static int
read_port_states(struct port *port, const struct port_states *last)
{
	if (read_phys_state(port) != 0)
		return port->error;
	for (int turn = 0; turn < STATE_TURNS_MAX; turn++) {
		if (read_port_state(port, &port->state_attribute, "state", &port->state) != 0 ||
			states_are(port, last))
			return port->error;
		const struct text_value before = port->phys_state;
		if (read_phys_state(port) != 0 || text_is_same(&before, &port->phys_state))
			return port->error;
	}
	return 0;
}

/* Reading `carrier` fails while the interface is down. */
static int
read_carrier(struct port *port)
{
	struct text_value carrier;
	int error = read_state_text(
		&port->carrier_attribute, port->group_dir[COUNTER_INTERFACE], "carrier", &carrier);
	bool is_set = carrier.present && strcmp(carrier.text, "1") == 0;

	port->has_carrier = is_set || (carrier.present && strcmp(carrier.text, "0") == 0);
	port->carrier = is_set;
	return error;
}

static int
read_states(struct port *port, const struct port_states *last)
{
	if (port->is_uplink)
		port->error = uplink_read_states(port);
	else
		read_port_states(port, last);
	if (port->error == ENODEV || port->error == EINTR)
		return port->error;

	int error = read_state_text(&port->operstate_attribute, port->group_dir[COUNTER_INTERFACE],
		"operstate", &port->operstate);
	if (error != EINTR && port->efa)
		error = read_carrier(port);
	/* The interface may disappear while the RDMA device stays; the port then still works. */
	return error == EINTR ? error : 0;
}

int
port_read(struct port *port)
{
	const struct port_states last = {port->state, port->phys_state, port->operstate};

	port->error = port->open_error;
	if (port->error != 0)
		return 0;
	clock_now(&port->when);
	int error = read_states(port, &last);
	bool is_same = states_are(port, &last);
	if (error == 0 && last.state.present && !is_same)
		read_link_texts(port);
	if (!is_same || !text_is_same(&last.operstate, &port->operstate))
		strbuf_clear(&port->middle);
	return error;
}

void
port_release(struct port *port)
{
	slots_release(port);
	attribute_close(&port->state_attribute);
	attribute_close(&port->phys_state_attribute);
	attribute_close(&port->operstate_attribute);
	attribute_close(&port->carrier_attribute);
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		fd_close(port->group_dir[group]);
		port->group_dir[group] = -1;
	}
	fd_close(port->port_dir);
	fd_close(port->uplink_dir);
	port->port_dir = port->uplink_dir = -1;
}

void
port_close(struct port *port)
{
	port_release(port);
	slots_fini(port);
	strbuf_fini(&port->middle);
	free(port->netdev);
	*port = (struct port){0};
}
