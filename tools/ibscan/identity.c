/* identity - what a device is: its PCI function, names, and network interfaces. */
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

/* Where to read: everything below class/infiniband/<device>. */
struct place {
	int root;
	const char *device;
};

/* class/infiniband/<device>/<rest>. False when that is longer than any path. */
static bool
make_path(const struct place *place, const char *rest, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "class/infiniband/%s/%s", place->device, rest);
	return n > 0 && n < PATH_MAX;
}

/* A copy with every byte that is not UTF-8 replaced. NULL when memory runs out. */
static char *
clean_copy(const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(3 * length + 1);
	if (copy != NULL)
		utf8_sanitize(text, length, copy, 3 * length + 1);
	return copy;
}

/* An attribute's text as a new string, NULL when there is nothing to read. */
static char *
read_text_new(const struct place *place, const char *rest)
{
	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	if (!make_path(place, rest, path) ||
		sysfs_read_path(place->root, path, text, sizeof text) != SYSFS_OK)
		return NULL;
	return clean_copy(text);
}

/* Name of what a link points to as a new string, NULL when there is no such link. */
static char *
read_link_new(const struct place *place, const char *rest)
{
	char path[PATH_MAX], name[NAME_MAX + 1];
	if (!make_path(place, rest, path) ||
		sysfs_link_name(place->root, path, name, sizeof name) != SYSFS_OK)
		return NULL;
	return clean_copy(name);
}

/* PCI address and driver: from the uevent file, which also a bind-mounted tree without links has, else from the links. */
static void
read_pci_function(const struct place *place, struct identity *identity)
{
	char path[PATH_MAX], lines[SYSFS_TEXT_MAX], value[NAME_MAX + 1];

	if (make_path(place, "device/uevent", path) &&
		sysfs_read_lines(place->root, path, lines, sizeof lines) == SYSFS_OK) {
		if (parse_uevent(lines, "PCI_SLOT_NAME", value, sizeof value) &&
			parse_is_pci_address(value))
			identity->pci = strdup(value);
		if (parse_uevent(lines, "DRIVER", value, sizeof value))
			identity->driver = clean_copy(value);
	}
	if (identity->pci == NULL) {
		identity->pci = read_link_new(place, "device");
		if (identity->pci != NULL && !parse_is_pci_address(identity->pci)) {
			free(identity->pci);
			identity->pci = NULL;
		}
	}
	if (identity->driver == NULL)
		identity->driver = read_link_new(place, "device/driver");
	identity->physfn = read_link_new(place, "device/physfn");
	identity->vf = identity->physfn != NULL;

	char *numa_node = read_text_new(place, "device/numa_node");
	identity->numa_node = numa_node != NULL ? parse_numa_node(numa_node) : -1;
	free(numa_node);
}

static bool
has_name(const struct sysfs_names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->names[i], name) == 0)
			return true;
	}
	return false;
}

/* Appends every `upper_<name>` of interface `name` that is not there yet. */
static int
add_uppers(int root, const char *name, struct sysfs_names *uppers)
{
	static const char prefix[] = "upper_";
	char path[PATH_MAX];
	struct sysfs_names entries = {0};
	int dir, status = 0;

	snprintf(path, sizeof path, "class/net/%s", name);
	if (sysfs_open_dir(root, path, &dir) != SYSFS_OK)
		return 0;
	if (sysfs_list(dir, IBSCAN_FILES_MAX, &entries) == SYSFS_OK) {
		for (size_t i = 0; i < entries.count && status == 0; i++) {
			const char *upper = entries.names[i] + strlen(prefix);
			if (strncmp(entries.names[i], prefix, strlen(prefix)) != 0 ||
				*upper == '\0' || has_name(uppers, upper) ||
				uppers->count == IBSCAN_NETDEVS_MAX)
				continue;
			char **names = realloc(uppers->names, (uppers->count + 1) * sizeof *names);
			if (names == NULL) {
				status = -1;
				break;
			}
			uppers->names = names;
			names[uppers->count] = clean_copy(upper);
			status = names[uppers->count] != NULL ? 0 : -1;
			uppers->count += status == 0;
		}
	}
	sysfs_names_fini(&entries);
	close(dir);
	return status;
}

/* A bond may carry a VLAN, which may be in a bridge: the list is its own queue, and each name enters it once. */
static int
read_uppers(int root, struct netdev *netdev)
{
	if (add_uppers(root, netdev->name, &netdev->uppers) < 0)
		return -1;
	for (size_t i = 0; i < netdev->uppers.count; i++) {
		if (add_uppers(root, netdev->uppers.names[i], &netdev->uppers) < 0)
			return -1;
	}
	return 0;
}

static int
add_netdev(int root, struct identity *identity, const char *name)
{
	struct netdev *netdevs =
		realloc(identity->netdevs, (identity->netdev_count + 1) * sizeof *netdevs);
	if (netdevs == NULL)
		return -1;
	identity->netdevs = netdevs;
	struct netdev *netdev = &netdevs[identity->netdev_count];
	*netdev = (struct netdev){.name = clean_copy(name)};
	if (netdev->name == NULL)
		return -1;
	identity->netdev_count++;

	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	snprintf(path, sizeof path, "class/net/%s/dev_port", name);
	if (sysfs_read_path(root, path, text, sizeof text) != SYSFS_OK ||
		num_parse_u64(text, IBSCAN_PORTS_MAX, &netdev->dev_port) != NUM_OK)
		netdev->dev_port = 0;
	snprintf(path, sizeof path, "class/net/%s/phys_port_name", name);
	netdev->representor = sysfs_read_path(root, path, text, sizeof text) == SYSFS_OK &&
			      parse_is_representor(text);
	return read_uppers(root, netdev);
}

/* The interfaces of the PCI function; a soft RoCE device has no function, but names its interface in `parent`. */
static int
read_netdevs(const struct place *place, struct identity *identity)
{
	char path[PATH_MAX];
	struct sysfs_names names = {0};
	int dir, status = 0;

	if (!make_path(place, "device/net", path))
		return 0;
	if (sysfs_open_dir(place->root, path, &dir) == SYSFS_OK) {
		if (sysfs_list(dir, IBSCAN_NETDEVS_MAX, &names) == SYSFS_OK) {
			for (size_t i = 0; i < names.count && status == 0; i++)
				status = add_netdev(place->root, identity, names.names[i]);
		}
		sysfs_names_fini(&names);
		close(dir);
		return status;
	}
	char *parent = read_text_new(place, "parent");
	if (parent != NULL && sysfs_is_name(parent) && strlen(parent) <= NAME_MAX)
		status = add_netdev(place->root, identity, parent);
	free(parent);
	return status;
}

struct identity *
identity_read_new(int root, const char *device)
{
	const struct place place = {.root = root, .device = device};
	struct identity *identity = calloc(1, sizeof *identity);
	if (identity == NULL)
		return NULL;

	read_pci_function(&place, identity);
	identity->vendor = read_text_new(&place, "device/vendor");
	identity->hca_type = read_text_new(&place, "hca_type");
	identity->fw_ver = read_text_new(&place, "fw_ver");
	identity->board_id = read_text_new(&place, "board_id");
	identity->node_guid = read_text_new(&place, "node_guid");
	if (read_netdevs(&place, identity) < 0) {
		identity_free(identity);
		errno = ENOMEM;
		return NULL;
	}
	return identity;
}

void
identity_free(struct identity *identity)
{
	if (identity == NULL)
		return;
	for (size_t i = 0; i < identity->netdev_count; i++) {
		free(identity->netdevs[i].name);
		sysfs_names_fini(&identity->netdevs[i].uppers);
	}
	free(identity->netdevs);
	char *texts[] = {identity->pci, identity->vendor, identity->driver, identity->hca_type,
		identity->fw_ver, identity->board_id, identity->node_guid, identity->physfn};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		free(texts[i]);
	free(identity);
}

const char *
identity_port_netdev(const struct identity *identity, unsigned number, const char *gid_netdev)
{
	const struct netdev *first = NULL, *fitting = NULL;

	for (size_t i = 0; i < identity->netdev_count; i++) {
		const struct netdev *netdev = &identity->netdevs[i];
		if (netdev->representor)
			continue;
		if (gid_netdev != NULL && strcmp(netdev->name, gid_netdev) == 0)
			return netdev->name;
		if (first == NULL)
			first = netdev;
		if (fitting == NULL && netdev->dev_port + 1 == number)
			fitting = netdev;
	}
	/* Drivers that do not number their interfaces have one; it is the first port's, never the second's. */
	if (fitting == NULL && number == 1)
		fitting = first;
	return fitting != NULL ? fitting->name : NULL;
}
