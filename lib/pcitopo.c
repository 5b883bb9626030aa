/* pcitopo - finds the GPUs of this node and the distance of each RDMA device to them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcitopo.h"

#include "array.h"
#include "diag.h"
#include "efa.h"
#include "pcifn.h"
#include "pcipath.h"
#include "text.h"
#include "vendor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A function's position on the bus. */
struct place {
	struct pcipath path;
	int64_t numa_node; /* -1: unknown */
};

struct bus {
	int root;      /* file descriptor of sysfs */
	int error;     /* errno of the first file that cannot be read; 0: none */
	bool one_node; /* the machine has one NUMA node; firmware may omit it */
	struct sysfs_names functions;
	struct place *gpus;
	size_t gpu_count;
};

static const char functions_directory[] = "bus/pci/devices";

bool
pcitopo_is_gpu(const char *vendor, const char *class)
{
	/* include/linux/pci_ids.h: VGA, 3D, other display controller; processing accelerator.
	 * NVIDIA's VGA controllers compute, those of others, such as the BMC's, only display. Each
	 * entry is the `class` file without the programming interface. */
	static const struct {
		const char *vendor, *class;
	} kinds[] = {{"0x10de", "0x0300"}, {"0x10de", "0x0302"}, {"0x1002", "0x0380"},
		{"0x1002", "0x1200"}, {"0x8086", "0x0380"}};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(vendor, kinds[i].vendor) == 0 && text_has_prefix(class, kinds[i].class))
			return true;
	}
	return false;
}

/* --- reading --- */

/* Report a file that cannot be read. If its device has just gone (ENODEV), it counts as absent. */
static enum sysfs_status
note(struct bus *bus, const char *directory, const char *name, enum sysfs_status status)
{
	if (status != SYSFS_UNREADABLE)
		return status;
	if (errno == ENODEV)
		return SYSFS_ABSENT;
	diag_warn("%s/%s: %s", directory, name, strerror(errno));
	if (bus->error == 0)
		bus->error = errno;
	return status;
}

static bool
has_one_node(struct bus *bus)
{
	char online[SYSFS_TEXT_MAX];
	enum sysfs_status status = note(bus, "devices/system/node", "online",
		sysfs_read_plain(bus->root, "devices/system/node/online", online, sizeof online));
	return status == SYSFS_ABSENT || (status == SYSFS_OK && strpbrk(online, ",-") == NULL);
}

/* Read an attribute of a function. */
static enum sysfs_status
read_function(struct bus *bus, const char *function, const char *name, char text[SYSFS_TEXT_MAX])
{
	return note(
		bus, function, name, pcifn_read(bus->root, function, name, text, SYSFS_TEXT_MAX));
}

static bool
has_link(struct bus *bus, const char *function, const char *name)
{
	char target[NAME_MAX + 1];
	return note(bus, function, name,
		       pcifn_link(bus->root, function, name, target, sizeof target)) !=
	       SYSFS_ABSENT;
}

static int64_t
read_numa_node(struct bus *bus, const char *function)
{
	char text[SYSFS_TEXT_MAX];
	return read_function(bus, function, "numa_node", text) == SYSFS_OK ? pcifn_numa_node(text)
									   : -1;
}

/* Resolve the link `directory/name`. Return false if it does not lead to a PCI function. */
static bool
find_place(struct bus *bus, const char *directory, const char *name, struct place *out)
{
	char path[PATH_MAX], target[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/%s", directory, name);
	if (n < 0 || n >= PATH_MAX ||
		note(bus, directory, name, sysfs_link_target(bus->root, path, target)) !=
			SYSFS_OK ||
		!pcipath_parse(&out->path, target))
		return false;
	out->numa_node = read_numa_node(bus, pcipath_function(&out->path));
	return true;
}

/* Return whether `is_kind` accepts the function and it is not a virtual function. */
static bool
is_physical(struct bus *bus, const char *function,
	bool (*is_kind)(const char *vendor, const char *class))
{
	char vendor[SYSFS_TEXT_MAX], class[SYSFS_TEXT_MAX];
	return read_function(bus, function, "class", class) == SYSFS_OK &&
	       read_function(bus, function, "vendor", vendor) == SYSFS_OK &&
	       is_kind(vendor, class) && !has_link(bus, function, "physfn");
}

/* Return whether it may be an RDMA device near a GPU. EFA adapters serve the GPUs at any
 * distance. */
static bool
may_be_near(const char *vendor, const char *class)
{
	enum vendor maker = vendor_find(NULL, vendor);
	return pcifn_is_network(class) && maker != VENDOR_OTHER && maker != VENDOR_AMAZON;
}

/* Return whether it may be a NIC near a GPU, and has no RDMA device. */
static bool
is_silent_nic(struct bus *bus, const char *function)
{
	struct sysfs_names devices;
	if (!is_physical(bus, function, may_be_near) || pcifn_is_internal(bus->root, function))
		return false;
	enum sysfs_status status = note(bus, function, "infiniband",
		pcifn_list(bus->root, function, "infiniband", &devices));
	bool is_silent = status == SYSFS_ABSENT || (status == SYSFS_OK && devices.count == 0);
	sysfs_names_fini(&devices);
	return is_silent;
}

/* Order by address: a longer domain is a larger one. */
static int
by_address(const void *a, const void *b)
{
	const char *one = pcipath_function(&((const struct place *)a)->path);
	const char *other = pcipath_function(&((const struct place *)b)->path);
	size_t length = strlen(one), other_length = strlen(other);
	return length != other_length ? (length > other_length) - (length < other_length)
				      : strcmp(one, other);
}

/* Return 0, or -1 with errno. */
static int
find_gpus(struct bus *bus)
{
	struct sysfs_names *functions = &bus->functions;
	if (sysfs_list_path(bus->root, functions_directory, PCIFN_MAX, functions) !=
		SYSFS_UNREADABLE)
		bus->gpus = calloc(functions->count + 1, sizeof *bus->gpus);
	for (size_t i = 0; bus->gpus != NULL && i < functions->count; i++) {
		const char *name = functions->names[i];
		if (is_physical(bus, name, pcitopo_is_gpu) &&
			find_place(bus, functions_directory, name, &bus->gpus[bus->gpu_count]))
			bus->gpu_count++;
	}
	if (bus->gpus == NULL)
		return -1;
	qsort(bus->gpus, bus->gpu_count, sizeof *bus->gpus, by_address);
	return 0;
}

/* --- results --- */

/* Return whether the function is a bridge that a hypervisor emulates: of QEMU or VMware. */
static bool
is_emulated_bridge(struct bus *bus, const char *function)
{
	char vendor[SYSFS_TEXT_MAX];
	return read_function(bus, function, "vendor", vendor) == SYSFS_OK &&
	       (strcmp(vendor, "0x1b36") == 0 || strcmp(vendor, "0x15ad") == 0);
}

/* A guest may see a bus where all distances are equal, and no NUMA nodes: without bridges, or with
 * an emulated root port for each device. */
static bool
is_flat(struct bus *bus, const struct place *place)
{
	const struct pcipath *path = &place->path;
	return place->numa_node < 0 &&
	       (path->count == 1 ||
		       (path->count == 2 && is_emulated_bridge(bus, path->functions[0])));
}

/* Return why the distance to no GPU can be told, or NULL. */
static const char *
find_reason(struct bus *bus)
{
	size_t flat = 0, unknown = 0;
	for (size_t i = 0; i < bus->gpu_count; i++) {
		flat += is_flat(bus, &bus->gpus[i]);
		unknown += bus->gpus[i].numa_node < 0;
	}
	if (bus->functions.count == 0)
		return "the PCI bus is empty";
	if (bus->gpu_count > 0 && flat == bus->gpu_count)
		return "the PCI bus has neither real bridges nor NUMA nodes, as in virtual "
		       "machines";
	if (bus->gpu_count > 0 && unknown == bus->gpu_count && !bus->one_node)
		return "no GPU has a known NUMA node";
	return NULL;
}

static int64_t
numa_node(const struct bus *bus, const struct place *place)
{
	return place->numa_node < 0 && bus->one_node ? 0 : place->numa_node;
}

static json_t *
gpus_new(const struct bus *bus)
{
	json_t *gpus = json_array();
	for (size_t i = 0; i < bus->gpu_count; i++) {
		const struct place *gpu = &bus->gpus[i];
		json_array_append_new(gpus, json_pack("{s:i, s:s, s:I}", "gpu_id", (int)i,
						    "pci_address", pcipath_function(&gpu->path),
						    "numa_node", (json_int_t)numa_node(bus, gpu)));
	}
	return gpus;
}

static json_t *
row_new(const struct bus *bus, const struct place *nic)
{
	json_t *row = json_array();
	for (size_t i = 0; i < bus->gpu_count; i++) {
		const struct place *gpu = &bus->gpus[i];
		enum pcipath_distance distance = pcipath_distance(
			&gpu->path, numa_node(bus, gpu), &nic->path, numa_node(bus, nic));
		json_array_append_new(row, json_string(pcipath_distances[distance]));
	}
	return row;
}

/* EFA adapters serve the GPUs at any distance, and get no row. */
static bool
is_efa(struct bus *bus, const struct place *nic)
{
	const char *function = pcipath_function(&nic->path);
	char driver[NAME_MAX + 1], vendor[SYSFS_TEXT_MAX];
	bool has_driver = note(bus, function, "driver",
				  pcifn_link(bus->root, function, "driver", driver,
					  sizeof driver)) == SYSFS_OK;
	bool has_vendor = read_function(bus, function, "vendor", vendor) == SYSFS_OK;
	return efa_is_device(has_driver ? driver : NULL, has_vendor ? vendor : NULL);
}

/* Make the rows of the RDMA devices on the PCI bus (soft devices are on none), and add the devices'
 * addresses to `addresses`. Return NULL with errno on failure. */
static json_t *
rows_new(struct bus *bus, json_t *addresses)
{
	static const char directory[] = "class/infiniband";
	struct sysfs_names devices;
	bool is_listed = sysfs_list_path(bus->root, directory, PCITOPO_DEVICES_MAX, &devices) !=
			 SYSFS_UNREADABLE;
	json_t *rows = is_listed ? json_object() : NULL;
	for (size_t i = 0; is_listed && i < devices.count; i++) {
		struct place nic;
		if (!find_place(bus, directory, devices.names[i], &nic) || is_efa(bus, &nic))
			continue;
		json_object_set_new(rows, devices.names[i], row_new(bus, &nic));
		json_object_set_new(
			addresses, devices.names[i], json_string(pcipath_function(&nic.path)));
	}
	sysfs_names_fini(&devices);
	return rows;
}

/* Return whether the NIC is on the switch of a GPU. */
static bool
is_on_switch(const struct bus *bus, const struct place *nic)
{
	for (size_t i = 0; i < bus->gpu_count; i++) {
		if (pcipath_distance(&bus->gpus[i].path, -1, &nic->path, -1) <= PCIPATH_PXB)
			return true;
	}
	return false;
}

/* Return whether the NIC should have an RDMA device: it has no driver, or one of NICs and is on a
 * GPU's switch. Elsewhere a NIC with a driver need not be meant for RDMA. */
static bool
should_have_device(struct bus *bus, const struct place *nic)
{
	char driver[NAME_MAX + 1];
	const char *function = pcipath_function(&nic->path);
	switch (note(bus, function, "driver",
		pcifn_link(bus->root, function, "driver", driver, sizeof driver))) {
	case SYSFS_OK:
		return vendor_find(driver, NULL) != VENDOR_OTHER && is_on_switch(bus, nic);
	case SYSFS_ABSENT:
		return true;
	case SYSFS_UNREADABLE:
		break;
	}
	return false;
}

static json_t *
unbound_new(struct bus *bus)
{
	json_t *rows = json_object();
	for (size_t i = 0; i < bus->functions.count; i++) {
		const char *name = bus->functions.names[i];
		struct place nic;
		if (is_silent_nic(bus, name) && find_place(bus, functions_directory, name, &nic) &&
			should_have_device(bus, &nic))
			json_object_set_new(rows, name, row_new(bus, &nic));
	}
	return rows;
}

json_t *
pcitopo_read_new(int root, const char **reason)
{
	struct bus bus = {.root = root};
	json_t *document = NULL;

	bus.one_node = has_one_node(&bus);
	if (find_gpus(&bus) == 0) {
		json_t *addresses = json_object(), *rows = rows_new(&bus, addresses);
		*reason = find_reason(&bus);
		if (rows != NULL)
			document = json_pack("{s:o, s:o, s:O, s:o}", "gpus", gpus_new(&bus),
				"nic_topology", rows, "addresses", addresses, "unbound",
				unbound_new(&bus));
		json_decref(addresses);
	}
	free(bus.gpus);
	sysfs_names_fini(&bus.functions);
	if (bus.error != 0) {
		json_decref(document);
		document = NULL;
		errno = bus.error;
	}
	return document;
}
