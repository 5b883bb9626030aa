/* parent - finds the RDMA device of which another one is a part.
 *
 * A multi-plane NIC (ConnectX-8) has one port, which aggregates several planes. The planes are the
 * ports of a second RDMA device, of type SMI, on the same PCI function, which an administrator adds
 * for the subnet manager (`rdma dev add smi0 type SMI parent mlx5_0`;
 * drivers/infiniband/hw/mlx5/main.c, mlx5_ib_add_sub_dev()). Only netlink shows type and parent. In
 * sysfs the second device looks like any other, but ib_uverbs creates no character device for it,
 * and ib_umad creates the subnet manager's devices (issm) for it and not for its parent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "parent.h"

#include "array.h"
#include "ibscan.h"
#include "text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of the devices on one function, and of their character devices. */
#define ENTRIES_MAX 1024

/* --- the decision --- */

/* Return true if some siblings have the property and others lack it. */
static bool
differs(const struct sibling *siblings, size_t count, bool (*has)(const struct sibling *))
{
	size_t having = 0;
	for (size_t i = 0; i < count; i++)
		having += has(&siblings[i]);
	return having > 0 && having < count;
}

static bool
has_verbs(const struct sibling *sibling)
{
	return sibling->verbs;
}

static bool
has_no_manager(const struct sibling *sibling)
{
	return !sibling->manages;
}

/* Return the sibling with the fewest ports, the first of several. */
static const char *
smallest(const struct sibling *siblings, size_t count)
{
	size_t least = 0;
	for (size_t i = 1; i < count; i++) {
		if (siblings[i].ports < siblings[least].ports)
			least = i;
	}
	return siblings[least].name;
}

const char *
parent_among(const struct sibling *siblings, size_t count, const char *self)
{
	static bool (*const signs[])(const struct sibling *) = {has_verbs, has_no_manager};
	const char *parent = NULL;

	if (count < 2)
		return NULL;
	for (size_t s = 0; s < ARRAY_COUNT(signs); s++) {
		if (!differs(siblings, count, signs[s]))
			continue;
		for (size_t i = 0; i < count; i++) {
			if (!signs[s](&siblings[i]))
				continue;
			if (strcmp(siblings[i].name, self) == 0)
				return NULL;
			if (parent == NULL)
				parent = siblings[i].name;
		}
		return parent;
	}
	/* The kernel gives no part a uverbs device. Other drivers register several NICs on one
	 * function (kernel#several-devices). */
	if (has_verbs(&siblings[0]))
		return NULL;
	parent = smallest(siblings, count);
	return strcmp(parent, self) == 0 ? NULL : parent;
}

/* --- reading sysfs --- */

/* Device whose files below class/infiniband/<device>/device are read. */
struct function {
	int root;
	const char *device;
	int *shortage;
};

static bool
is_read(const struct function *function, enum sysfs_status status)
{
	if (status == SYSFS_UNREADABLE)
		sysfs_note_shortage(function->shortage);
	return status == SYSFS_OK;
}

static bool
list(const struct function *function, const char *rest, struct sysfs_names *names)
{
	char path[PATH_MAX];

	*names = (struct sysfs_names){0};
	int n = snprintf(
		path, sizeof path, "class/infiniband/%s/device/%s", function->device, rest);
	return n > 0 && n < (int)sizeof path &&
	       is_read(function, sysfs_list_path(function->root, path, ENTRIES_MAX, names));
}

/* Set `verbs` or `manages` of the sibling that has the character device `<class>/<node>`. */
static void
note_node(const struct function *function, const char *class, const char *node,
	struct sibling *siblings, size_t count)
{
	char path[PATH_MAX], name[SYSFS_TEXT_MAX];
	bool verbs = text_has_prefix(node, "uverbs");

	if (!verbs && !text_has_prefix(node, "issm"))
		return;
	int n = snprintf(path, sizeof path, "class/infiniband/%s/device/%s/%s/ibdev",
		function->device, class, node);
	if (n < 0 || n >= (int)sizeof path ||
		!is_read(function, sysfs_read_path(function->root, path, name, sizeof name)))
		return;
	for (size_t i = 0; i < count; i++) {
		if (strcmp(siblings[i].name, name) != 0)
			continue;
		siblings[i].verbs |= verbs;
		siblings[i].manages |= !verbs;
	}
}

static void
note_nodes(
	const struct function *function, const char *class, struct sibling *siblings, size_t count)
{
	struct sysfs_names nodes;
	if (list(function, class, &nodes)) {
		for (size_t i = 0; i < nodes.count; i++)
			note_node(function, class, nodes.names[i], siblings, count);
	}
	sysfs_names_fini(&nodes);
}

static void
note_ports(const struct function *function, struct sibling *sibling)
{
	char rest[PATH_MAX];
	struct sysfs_names ports;

	snprintf(rest, sizeof rest, "infiniband/%.*s/ports", NAME_MAX, sibling->name);
	list(function, rest, &ports);
	sibling->ports = ports.count;
	sysfs_names_fini(&ports);
}

static char *
choose_new(const struct function *function, const struct sysfs_names *names)
{
	struct sibling *siblings = calloc(names->count, sizeof *siblings);
	if (siblings == NULL) {
		sysfs_note_shortage(function->shortage);
		return NULL;
	}
	for (size_t i = 0; i < names->count; i++) {
		siblings[i].name = names->names[i];
		note_ports(function, &siblings[i]);
	}
	note_nodes(function, "infiniband_verbs", siblings, names->count);
	note_nodes(function, "infiniband_mad", siblings, names->count);
	const char *parent = parent_among(siblings, names->count, function->device);
	char *copy = parent != NULL ? strdup(parent) : NULL;
	if (parent != NULL && copy == NULL)
		sysfs_note_shortage(function->shortage);
	free(siblings);
	return copy;
}

char *
parent_read_new(int root, const char *device, int *shortage)
{
	const struct function function = {root, device, shortage};
	struct sysfs_names names;
	char *parent = NULL;

	/* Nearly always the device is the only one of its function. */
	if (list(&function, "infiniband", &names) && names.count > 1)
		parent = choose_new(&function, &names);
	sysfs_names_fini(&names);
	return parent;
}
