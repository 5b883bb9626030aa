/* devicelook - finds the RDMA port of a network interface or a local address. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "devicelook.h"

#include "num.h"
#include "sysfs.h"

#include <ifaddrs.h>
#include <inttypes.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#define KEPT_NS NUM_NS_PER_S

/* More than any machine has. */
#define DEVICES_MAX 8192
#define PORTS_MAX 256
#define ENTRIES_MAX 1024

/* Deepest stack on a port's own interface: a VLAN on a bond. */
#define STACK_DEPTH 2

/* The first entry of a port's GID table belongs to its own interface, later ones also to interfaces
 * stacked on it. */
#define OWN_ENTRIES 1
#define STACKED_ENTRIES 16

/* Return false if the path does not fit. */
static bool __attribute__((format(printf, 2, 3)))
make_path(char path[PATH_MAX], const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int n = vsnprintf(path, PATH_MAX, format, arguments);
	va_end(arguments);
	return n > 0 && n < PATH_MAX;
}

/* Return whether one of the first entries of the port's GID table belongs to the interface. */
static bool
has_interface(
	int root, const char *device, const char *port, const struct devicelook_answer *answer)
{
	char path[PATH_MAX], name[SYSFS_TEXT_MAX];
	unsigned entries = answer->is_own ? OWN_ENTRIES : STACKED_ENTRIES;
	for (unsigned i = 0; i < entries; i++)
		if (make_path(path, "class/infiniband/%s/ports/%s/gid_attrs/ndevs/%u", device, port,
			    i) &&
			sysfs_read_plain(root, path, name, sizeof name) == SYSFS_OK &&
			strcmp(name, answer->name) == 0)
			return true;
	return false;
}

/* Return whether the interface is the device's, or is stacked on one that is. A name in the GID
 * table does not prove it: it may come from another network namespace, whose root user chose it. */
static bool
belongs(int root, const char *interface, const char *device, unsigned depth)
{
	static const char lower[] = "lower_";
	char path[PATH_MAX];
	struct stat status;
	struct sysfs_names names;
	bool found = false;
	if (!make_path(path, "class/net/%s/device/infiniband/%s", interface, device))
		return false;
	if (sysfs_stat(root, path, &status) == SYSFS_OK)
		return true;
	if (depth == 0 || !make_path(path, "class/net/%s", interface))
		return false;
	if (sysfs_list_path(root, path, ENTRIES_MAX, &names) == SYSFS_OK)
		for (size_t i = 0; i < names.count && !found; i++)
			found = strncmp(names.names[i], lower, sizeof lower - 1) == 0 &&
				belongs(root, names.names[i] + sizeof lower - 1, device, depth - 1);
	sysfs_names_fini(&names);
	return found;
}

/* Return whether the device has no hardware, such as soft RoCE. sysfs links no interface to it, so
 * its GID table must suffice. */
static bool
is_soft(int root, const char *device)
{
	char path[PATH_MAX];
	struct stat status;
	return make_path(path, "class/infiniband/%s/device", device) &&
	       sysfs_stat(root, path, &status) == SYSFS_ABSENT;
}

static bool
find_port(int root, const char *device, struct devicelook_answer *answer)
{
	char path[PATH_MAX];
	struct sysfs_names ports;
	bool found = false;
	if (!make_path(path, "class/infiniband/%s/ports", device))
		return false;
	if (sysfs_list_path(root, path, PORTS_MAX, &ports) == SYSFS_OK)
		for (size_t i = 0; i < ports.count && !found; i++) {
			uint64_t port;
			found = has_interface(root, device, ports.names[i], answer) &&
				num_parse_u64(ports.names[i], UINT32_MAX, &port) == NUM_OK &&
				(is_soft(root, device) ||
					belongs(root, answer->name, device, STACK_DEPTH)) &&
				notice_copy(answer->device, sizeof answer->device, device,
					strlen(device));
			if (found)
				answer->port = (uint32_t)port;
		}
	sysfs_names_fini(&ports);
	return found;
}

static bool
find_by_gids(int root, struct devicelook_answer *answer)
{
	struct sysfs_names devices;
	bool found = false;
	if (sysfs_list_path(root, "class/infiniband", DEVICES_MAX, &devices) == SYSFS_OK)
		for (size_t i = 0; i < devices.count && !found; i++)
			found = find_port(root, devices.names[i], answer);
	sysfs_names_fini(&devices);
	return found;
}

static bool
is_infiniband(int root, const char *device, uint64_t port)
{
	char path[PATH_MAX], layer[SYSFS_TEXT_MAX];
	return make_path(path, "class/infiniband/%s/ports/%" PRIu64 "/link_layer", device, port) &&
	       sysfs_read_plain(root, path, layer, sizeof layer) == SYSFS_OK &&
	       strcmp(layer, "InfiniBand") == 0;
}

/* Find the port of an IPoIB interface, which has no entry in a GID table: if its PCI function has
 * only one device, it is a port of that device. Ignores members of a bond, since the GIDs belong to
 * the bond, and Ethernet, where the function also has the interfaces that represent its VFs. */
static void
find_by_function(int root, struct devicelook_answer *answer)
{
	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	struct sysfs_names devices;
	uint64_t index;
	if (!sysfs_is_name(answer->name) || !make_path(path, "class/net/%s/master", answer->name) ||
		sysfs_link_name(root, path, text, sizeof text) != SYSFS_ABSENT ||
		!make_path(path, "class/net/%s/dev_port", answer->name) ||
		sysfs_read_plain(root, path, text, sizeof text) != SYSFS_OK ||
		num_parse_u64(text, PORTS_MAX, &index) != NUM_OK ||
		!make_path(path, "class/net/%s/device/infiniband", answer->name))
		return;
	if (sysfs_list_path(root, path, DEVICES_MAX, &devices) == SYSFS_OK && devices.count == 1 &&
		is_infiniband(root, devices.names[0], index + 1) &&
		notice_copy(answer->device, sizeof answer->device, devices.names[0],
			strlen(devices.names[0])))
		answer->port = (uint32_t)index + 1;
	sysfs_names_fini(&devices);
}

static const struct devicelook_answer *
look_up(struct devicelook *look, const char *interface, bool is_own)
{
	uint64_t now_ns = clock_monotonic_ns();
	for (size_t i = 0; i < DEVICELOOK_KEPT; i++) {
		const struct devicelook_answer *kept = &look->answers[i];
		if (kept->is_own == is_own && strcmp(kept->name, interface) == 0 &&
			now_ns - kept->asked_ns < KEPT_NS)
			return kept;
	}
	struct devicelook_answer *answer = &look->answers[look->next++ % DEVICELOOK_KEPT];
	*answer = (struct devicelook_answer){.is_own = is_own, .asked_ns = now_ns};
	if (sysfs_is_name(interface) &&
		notice_copy(answer->name, sizeof answer->name, interface, strlen(interface)) &&
		!find_by_gids(look->root, answer))
		find_by_function(look->root, answer);
	return answer;
}

bool
devicelook_own(struct devicelook *look, const char *interface, struct notice *notice)
{
	const struct devicelook_answer *answer = look_up(look, interface, true);
	strcpy(notice->device, answer->device);
	notice->port = answer->port;
	return *answer->device != '\0';
}

static bool
is_address(const struct sockaddr *of_interface, const struct traceline_address *address)
{
	if (of_interface == NULL || of_interface->sa_family != address->family)
		return false;
	if (address->family == AF_INET6)
		return memcmp(&((const struct sockaddr_in6 *)of_interface)->sin6_addr,
			       &address->bytes, sizeof address->bytes) == 0;
	return memcmp(&((const struct sockaddr_in *)of_interface)->sin_addr, &address->bytes,
		       sizeof(struct in_addr)) == 0;
}

void
devicelook_address(
	struct devicelook *look, const struct traceline_address *address, struct notice *notice)
{
	struct ifaddrs *all, *one;
	if (address->family == AF_UNSPEC || getifaddrs(&all) < 0)
		return;
	for (one = all; one != NULL && !is_address(one->ifa_addr, address); one = one->ifa_next)
		;
	if (one != NULL)
		strcpy(notice->device, look_up(look, one->ifa_name, false)->device);
	freeifaddrs(all);
}

void
devicelook_forget(struct devicelook *look)
{
	memset(look->answers, 0, sizeof look->answers);
}
