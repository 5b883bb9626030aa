/* unbound - NICs on the PCI bus that no driver has: what class/infiniband cannot list. */
#include "unbound.h"

#include "pcifn.h"
#include "record.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

/* A link that is not there; one that cannot be looked at is no evidence. */
static bool
lacks_link(int root, const char *function, const char *name)
{
	char target[NAME_MAX + 1];
	return pcifn_link(root, function, name, target, sizeof target) == SYSFS_ABSENT;
}

/* The class is read last: a function that is taken off the bus meanwhile has none. */
static bool
is_unbound(int root, const char *function)
{
	char vendor[SYSFS_TEXT_MAX], class[SYSFS_TEXT_MAX];
	return pcifn_read(root, function, "vendor", vendor, sizeof vendor) == SYSFS_OK &&
	       strcmp(vendor, PCIFN_VENDOR_MELLANOX) == 0 && lacks_link(root, function, "driver") &&
	       lacks_link(root, function, "physfn") &&
	       pcifn_read(root, function, "class", class, sizeof class) == SYSFS_OK &&
	       pcifn_is_nic(vendor, class);
}

json_t *
unbound_list_new(int root)
{
	struct sysfs_names functions = {0};
	json_t *list = NULL;
	int bus;

	if (sysfs_open_dir(root, "bus/pci/devices", &bus) != SYSFS_OK)
		return NULL;
	if (sysfs_list(bus, PCIFN_MAX, &functions) == SYSFS_OK)
		list = json_array();
	for (size_t i = 0; list != NULL && i < functions.count; i++) {
		if (is_unbound(root, functions.names[i]))
			json_array_append_new(list, record_name_new(functions.names[i]));
	}
	sysfs_names_fini(&functions);
	close(bus);
	return list;
}
