/* unbound - NICs on the PCI bus that no driver has: what class/infiniband cannot list. */
#include "unbound.h"

#include "record.h"
#include "sysfs.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* More PCI functions than any machine has. */
#define FUNCTIONS_MAX 65536

/* include/linux/pci_ids.h. The class file has base class, subclass and programming interface, a byte each. */
#define VENDOR_MELLANOX "0x15b3"
#define BASE_CLASS_NETWORK 0x02
#define CLASS_SERIAL_INFINIBAND 0x0c06

bool
unbound_is_nic(const char *vendor, const char *class)
{
	char *end;
	if (strcmp(vendor, VENDOR_MELLANOX) != 0 || strncmp(class, "0x", 2) != 0)
		return false;
	errno = 0;
	unsigned long value = strtoul(class + 2, &end, 16);
	if (*end != '\0' || end == class + 2 || errno != 0)
		return false;
	return value >> 16 == BASE_CLASS_NETWORK || value >> 8 == CLASS_SERIAL_INFINIBAND;
}

/* bus/pci/devices/<function>/<name>. False when that is longer than any path. */
static bool
make_path(const char *function, const char *name, char path[PATH_MAX])
{
	int n = snprintf(path, PATH_MAX, "bus/pci/devices/%s/%s", function, name);
	return n > 0 && n < PATH_MAX;
}

static bool
read_text(int root, const char *function, const char *name, char *text, size_t size)
{
	char path[PATH_MAX];
	return make_path(function, name, path) &&
	       sysfs_read_path(root, path, text, size) == SYSFS_OK;
}

/* A link that is not there; one that cannot be looked at is no evidence. */
static bool
lacks_link(int root, const char *function, const char *name)
{
	char path[PATH_MAX], target[NAME_MAX + 1];
	return make_path(function, name, path) &&
	       sysfs_link_name(root, path, target, sizeof target) == SYSFS_ABSENT;
}

/* The class is read last: a function that is taken off the bus meanwhile has none. */
static bool
is_unbound(int root, const char *function)
{
	char vendor[SYSFS_TEXT_MAX], class[SYSFS_TEXT_MAX];
	return read_text(root, function, "vendor", vendor, sizeof vendor) &&
	       strcmp(vendor, VENDOR_MELLANOX) == 0 && lacks_link(root, function, "driver") &&
	       lacks_link(root, function, "physfn") &&
	       read_text(root, function, "class", class, sizeof class) &&
	       unbound_is_nic(vendor, class);
}

json_t *
unbound_list_new(int root)
{
	struct sysfs_names functions = {0};
	json_t *list = NULL;
	int bus;

	if (sysfs_open_dir(root, "bus/pci/devices", &bus) != SYSFS_OK)
		return NULL;
	if (sysfs_list(bus, FUNCTIONS_MAX, &functions) == SYSFS_OK)
		list = json_array();
	for (size_t i = 0; list != NULL && i < functions.count; i++) {
		if (is_unbound(root, functions.names[i]))
			json_array_append_new(list, record_name_new(functions.names[i]));
	}
	sysfs_names_fini(&functions);
	close(bus);
	return list;
}
