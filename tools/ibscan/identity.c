/* identity - PCI function, names and network interfaces of a device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "identity.h"

#include "array.h"
#include "num.h"
#include "parent.h"
#include "parse.h"
#include "pcifn.h"
#include "pcipath.h"
#include "text.h"
#include "uplink.h"
#include "utf8.h"
#include "vendor.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Device whose files below class/infiniband/<device> are read. */
struct place {
	int root;
	const char *device;
	/* errno of the first read that failed for lack of memory or descriptors, which says nothing
	 * about the device; 0: none */
	int *shortage;
};

static bool
is_read(const struct place *place, enum sysfs_status status)
{
	if (status == SYSFS_UNREADABLE)
		sysfs_note_shortage(place->shortage);
	return status == SYSFS_OK;
}

/* Format class/infiniband/<device>/<rest>. Return false if it does not fit. */
static bool
make_path(const struct place *place, const char *rest, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "class/infiniband/%s/%s", place->device, rest);
	return n > 0 && n < PATH_MAX;
}

/* Return a copy with each byte that is not UTF-8 replaced, or NULL when memory runs out. */
static char *
clean_copy(const struct place *place, const char *text)
{
	size_t length = strlen(text);
	char *copy = malloc(3 * length + 1);
	if (copy != NULL)
		utf8_sanitize(text, length, copy, 3 * length + 1);
	else
		sysfs_note_shortage(place->shortage);
	return copy;
}

/* Return the text of an attribute as a new string, or NULL if it cannot be read. */
static char *
read_text_new(const struct place *place, const char *rest)
{
	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	if (!make_path(place, rest, path) ||
		!is_read(place, sysfs_read_path(place->root, path, text, sizeof text)))
		return NULL;
	return clean_copy(place, text);
}

/* Return the last component of a link's target as a new string, or NULL if there is no link. */
static char *
read_link_new(const struct place *place, const char *rest)
{
	char path[PATH_MAX], name[NAME_MAX + 1];
	if (!make_path(place, rest, path) ||
		!is_read(place, sysfs_link_name(place->root, path, name, sizeof name)))
		return NULL;
	return clean_copy(place, name);
}

/* Return the PCI function in the target of the class entry, which may be dangling. NULL if the
 * target names none. */
static char *
function_of_entry_new(const struct place *place)
{
	char path[PATH_MAX], target[PATH_MAX];
	struct pcipath entry;
	int n = snprintf(path, sizeof path, "class/infiniband/%s", place->device);
	if (n < 0 || n >= PATH_MAX ||
		!is_read(place, sysfs_link_target(place->root, path, target)) ||
		!pcipath_parse(&entry, target))
		return NULL;
	return clean_copy(place, pcipath_function(&entry));
}

/* A subfunction is given to a container or guest like a virtual function, but is not on the PCI
 * bus: its device is below its parent function's
 * (drivers/net/ethernet/mellanox/mlx5/core/sf/dev/dev.c). */
static bool
is_subfunction(const char *driver)
{
	return driver != NULL && strcmp(driver, "mlx5_core.sf") == 0;
}

/* Read the driver, unless it is known, and the physical function from their links, which never
 * block. */
static void
read_function_links(const struct place *place, struct identity *identity)
{
	if (identity->driver == NULL)
		identity->driver = read_link_new(place, "device/driver");
	identity->physfn = read_link_new(place, "device/physfn");
	identity->vf = identity->physfn != NULL || is_subfunction(identity->driver);
}

/* Read PCI address and driver: from the uevent file, because a bind-mounted tree may lack the
 * links, else from the links. */
static void
read_pci_function(const struct place *place, struct identity *identity)
{
	char path[PATH_MAX], lines[SYSFS_TEXT_MAX], value[NAME_MAX + 1];

	if (make_path(place, "device/uevent", path) &&
		is_read(place, sysfs_read_lines(place->root, path, lines, sizeof lines))) {
		if (parse_uevent(lines, "PCI_SLOT_NAME", value, sizeof value) &&
			pcipath_is_address(value))
			identity->pci = clean_copy(place, value);
		if (parse_uevent(lines, "DRIVER", value, sizeof value))
			identity->driver = clean_copy(place, value);
	}
	if (identity->pci == NULL) {
		identity->pci = read_link_new(place, "device");
		if (identity->pci != NULL && !pcipath_is_address(identity->pci)) {
			free(identity->pci);
			identity->pci = NULL;
		}
	}
	if (identity->pci == NULL)
		identity->pci = function_of_entry_new(place);
	read_function_links(place, identity);

	char *numa_node = read_text_new(place, "device/numa_node");
	identity->numa_node = numa_node != NULL ? pcifn_numa_node(numa_node) : -1;
	free(numa_node);
}

static void
read_pci_link(const struct place *place, struct identity *identity)
{
	char *speed = read_text_new(place, "device/current_link_speed");
	char *width = read_text_new(place, "device/current_link_width");
	identity->link_width = width != NULL ? parse_link_width(width) : 0;
	free(width);
	if (speed != NULL && parse_is_link_speed(speed))
		identity->link_speed = speed;
	else
		free(speed);
}

/* Return the version of the driver's module. A module built from the kernel's own source may have
 * no `version` but only a source hash (`srcversion`). If `version` exists but is unreadable, return
 * NULL instead of the hash. */
static char *
read_driver_version_new(const struct place *place, const char *driver)
{
	static const char *const names[] = {"version", "srcversion"};
	char module[NAME_MAX + 1], path[PATH_MAX], text[SYSFS_TEXT_MAX];
	if (driver == NULL || !sysfs_is_name(driver) || strlen(driver) >= sizeof module)
		return NULL;
	strcpy(module, driver);
	/* Module names have `_` for `-`. */
	for (char *at = module; *at != '\0'; at++)
		if (*at == '-')
			*at = '_';
	enum sysfs_status status = SYSFS_ABSENT;
	for (size_t i = 0; i < ARRAY_COUNT(names) && status == SYSFS_ABSENT; i++) {
		snprintf(path, sizeof path, "module/%s/%s", module, names[i]);
		status = sysfs_read_path(place->root, path, text, sizeof text);
	}
	return is_read(place, status) ? clean_copy(place, text) : NULL;
}

/* Return the model. bnxt_re and ionic_rdma have the node description in hca_type, which differs
 * between NICs of one model (kernel#other-vendors). */
static char *
read_model_new(const struct place *place, const struct identity *identity)
{
	const enum vendor vendor = vendor_find(identity->driver, identity->vendor);
	const bool is_described = vendor == VENDOR_BROADCOM || vendor == VENDOR_AMD;
	return read_text_new(place, is_described ? "device/device" : "hca_type");
}

/* Append the interface of each link `upper_<name>` of the interface `name` that `uppers` lacks.
 * Return 0, or -1 when memory runs out. */
static int
add_uppers(const struct place *place, const char *name, struct sysfs_names *uppers)
{
	static const char prefix[] = "upper_";
	char path[PATH_MAX];
	struct sysfs_names entries;
	int status = 0;

	snprintf(path, sizeof path, "class/net/%s", name);
	if (is_read(place, sysfs_list_path(place->root, path, IBSCAN_FILES_MAX, &entries))) {
		for (size_t i = 0; i < entries.count && status == 0; i++) {
			const char *upper = entries.names[i] + strlen(prefix);
			if (!text_has_prefix(entries.names[i], prefix) || *upper == '\0' ||
				sysfs_names_have(uppers, upper) ||
				uppers->count == IBSCAN_NETDEVS_MAX)
				continue;
			char **names = realloc(uppers->names, (uppers->count + 1) * sizeof *names);
			if (names == NULL) {
				status = -1;
				break;
			}
			uppers->names = names;
			names[uppers->count] = clean_copy(place, upper);
			status = names[uppers->count] != NULL ? 0 : -1;
			uppers->count += status == 0;
		}
	}
	sysfs_names_fini(&entries);
	return status;
}

/* Upper interfaces can be stacked: a bond, a VLAN on it, a bridge of that. Use the list as its own
 * queue; each name enters it once. */
static int
read_uppers(const struct place *place, struct netdev *netdev)
{
	if (add_uppers(place, netdev->name, &netdev->uppers) < 0)
		return -1;
	for (size_t i = 0; i < netdev->uppers.count; i++) {
		if (add_uppers(place, netdev->uppers.names[i], &netdev->uppers) < 0)
			return -1;
	}
	return 0;
}

/* `alone`: the function has no other interface, so this one is no representor. phys_port_name would
 * tell, but cannot be read while another NIC's hung firmware has the kernel hold a lock
 * (kernel#interface-lock). */
static int
add_netdev(const struct place *place, struct identity *identity, const char *name, bool alone)
{
	struct netdev *netdevs =
		realloc(identity->netdevs, (identity->netdev_count + 1) * sizeof *netdevs);
	if (netdevs == NULL)
		return -1;
	identity->netdevs = netdevs;
	struct netdev *netdev = &netdevs[identity->netdev_count];
	*netdev = (struct netdev){.name = clean_copy(place, name)};
	if (netdev->name == NULL)
		return -1;
	identity->netdev_count++;

	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	snprintf(path, sizeof path, "class/net/%s/dev_port", name);
	if (!is_read(place, sysfs_read_path(place->root, path, text, sizeof text)) ||
		num_parse_u64(text, IBSCAN_PORTS_MAX, &netdev->dev_port) != NUM_OK)
		netdev->dev_port = 0;
	snprintf(path, sizeof path, "class/net/%s/phys_port_name", name);
	netdev->representor =
		!alone && is_read(place, sysfs_read_path(place->root, path, text, sizeof text)) &&
		parse_is_representor(text);
	netdev->bonded = uplink_is_bonded(place->root, name);
	return read_uppers(place, netdev);
}

/* Add the interface of a soft RoCE device, which has no PCI function. Its `parent` file has the
 * interface's name in the interface's own network namespace, whose root chooses that name. Accept
 * it only if an interface of this name exists here and its address matches the device's GUID
 * (addrconf_addr_eui48() in the kernel), as far as both are readable. */
static int
read_soft_netdev(const struct place *place, struct identity *identity)
{
	char path[PATH_MAX], address[SYSFS_TEXT_MAX];
	struct stat status;
	char *name = read_text_new(place, "parent");
	bool is_ours = name != NULL && sysfs_is_name(name) && strlen(name) <= NAME_MAX;

	if (is_ours) {
		snprintf(path, sizeof path, "class/net/%s", name);
		is_ours = sysfs_stat(place->root, path, &status) != SYSFS_ABSENT;
		snprintf(path, sizeof path, "class/net/%s/address", name);
	}
	if (is_ours && identity->node_guid != NULL &&
		is_read(place, sysfs_read_path(place->root, path, address, sizeof address)))
		is_ours = parse_may_be_guid_of(identity->node_guid, address);
	int result = is_ours ? add_netdev(place, identity, name, true) : 0;
	free(name);
	return result;
}

/* Read the interfaces of the PCI function, or that of a device without one. */
static int
read_netdevs(const struct place *place, struct identity *identity)
{
	char path[PATH_MAX];
	struct sysfs_names names = {0};
	int dir, status = 0;

	if (!make_path(place, "device/net", path))
		return 0;
	if (is_read(place, sysfs_open_dir(place->root, path, &dir))) {
		if (is_read(place, sysfs_list(dir, IBSCAN_NETDEVS_MAX, &names))) {
			for (size_t i = 0; i < names.count && status == 0; i++)
				status = add_netdev(
					place, identity, names.names[i], names.count == 1);
		}
		sysfs_names_fini(&names);
		close(dir);
		return status;
	}
	return read_soft_netdev(place, identity);
}

/* Return the identity, or NULL with errno if a part may be missing because of `shortage`. */
static struct identity *
complete(struct identity *identity, int shortage)
{
	if (shortage == 0)
		return identity;
	identity_free(identity);
	errno = shortage;
	return NULL;
}

struct identity *
identity_of_entry_new(int root, const char *device)
{
	int shortage = 0;
	const struct place place = {.root = root, .device = device, .shortage = &shortage};
	struct identity *identity = calloc(1, sizeof *identity);
	if (identity == NULL)
		return NULL;
	identity->pci = function_of_entry_new(&place);
	read_function_links(&place, identity);
	identity->numa_node = -1;
	return complete(identity, shortage);
}

struct identity *
identity_read_new(int root, const char *device)
{
	int shortage = 0;
	const struct place place = {.root = root, .device = device, .shortage = &shortage};
	struct identity *identity = calloc(1, sizeof *identity);
	if (identity == NULL)
		return NULL;

	read_pci_function(&place, identity);
	read_pci_link(&place, identity);
	identity->driver_version = read_driver_version_new(&place, identity->driver);
	identity->vendor = read_text_new(&place, "device/vendor");
	identity->hca_type = read_model_new(&place, identity);
	identity->fw_ver = read_text_new(&place, "fw_ver");
	identity->board_id = read_text_new(&place, "board_id");
	identity->node_guid = read_text_new(&place, "node_guid");
	identity->parent = parent_read_new(root, device, &shortage);
	/* A sub-device has no interfaces: those of the function belong to its parent. */
	if (identity->parent == NULL && read_netdevs(&place, identity) < 0)
		shortage = ENOMEM;
	return complete(identity, shortage);
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
		identity->fw_ver, identity->board_id, identity->node_guid, identity->physfn,
		identity->parent, identity->driver_version, identity->link_speed};
	for (size_t i = 0; i < ARRAY_COUNT(texts); i++)
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
	/* Drivers that do not number their interfaces have one, of the first port, never of the
	 * second. */
	if (fitting == NULL && number == 1)
		fitting = first;
	return fitting != NULL ? fitting->name : NULL;
}
