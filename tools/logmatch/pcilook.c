/* pcilook - looks up in sysfs what is now at the PCI address of a line. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pcilook.h"

#include "efa.h"
#include "pcifn.h"
#include "utf8.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Size of the tables: links between NICs and ports; facts kept until pcilook_refresh(). */
#define LINKS_MAX 512
#define KEPT_MAX 64

/* Levels of bridges on a card, between the slot and its functions. */
#define BRIDGES_DEEP 3

#define DRIVER "mlx5_core"

/* A NIC and the port above it. */
struct link {
	char port[SUBJECT_PCI_SIZE], nic[SUBJECT_PCI_SIZE];
	char name[STANDING_NIC_MAX_BYTES + 1]; /* name of the NIC's device; "" if none */
};

struct kept {
	char pci[SUBJECT_PCI_SIZE];
	unsigned wanted; /* looked up besides the names */
	struct eval_facts facts;
};

struct pcilook {
	int root;
	struct link links[LINKS_MAX];
	size_t link_count;
	struct kept kept[KEPT_MAX];
	size_t kept_count;
	struct eval_facts efa; /* result of the last pcilook_get_efa() */
};

struct pcilook *
pcilook_new(int root)
{
	struct pcilook *look = calloc(1, sizeof *look);
	if (look != NULL)
		look->root = root;
	return look;
}

void
pcilook_free(struct pcilook *look)
{
	free(look);
}

void
pcilook_refresh(struct pcilook *look)
{
	look->kept_count = 0;
}

/* --- one function --- */

static bool
is_nic(int root, const char *pci)
{
	char vendor[SYSFS_TEXT_MAX], class[SYSFS_TEXT_MAX];
	return pcifn_read(root, pci, "vendor", vendor, sizeof vendor) == SYSFS_OK &&
	       pcifn_read(root, pci, "class", class, sizeof class) == SYSFS_OK &&
	       pcifn_is_nic(vendor, class);
}

static bool
has_driver(int root, const char *pci, const char *wanted)
{
	char driver[NAME_MAX + 1];
	return pcifn_link(root, pci, "driver", driver, sizeof driver) == SYSFS_OK &&
	       strcmp(driver, wanted) == 0;
}

static bool
read_name(int root, const char *pci, const char *directory, char name[STANDING_NIC_MAX_BYTES + 1])
{
	struct sysfs_names names;
	bool found = false;

	/* Sanitize the name here, so that the events that report and end a condition have the same
	 * name. */
	if (pcifn_list(root, pci, directory, &names) == SYSFS_OK && names.count > 0) {
		const char *first = names.names[0];
		size_t length = strlen(first);
		utf8_sanitize(first, length, name, STANDING_NIC_MAX_BYTES + 1);
		found = length <= STANDING_NIC_MAX_BYTES;
	}
	sysfs_names_fini(&names);
	return found;
}

/* Return the name of the device that the driver created for the function: its RDMA device, else its
 * network interface. */
static bool
find_name(int root, const char *pci, char name[STANDING_NIC_MAX_BYTES + 1])
{
	return (has_driver(root, pci, DRIVER)) &&
	       (read_name(root, pci, "infiniband", name) || read_name(root, pci, "net", name));
}

/* physfn marks a virtual function. Its absence counts only if the function's directory can be
 * read. */
static enum eval_function
find_function(int root, const char *pci)
{
	char target[NAME_MAX + 1];
	if (pcifn_link(root, pci, "subsystem", target, sizeof target) != SYSFS_OK &&
		pcifn_read(root, pci, "vendor", target, sizeof target) != SYSFS_OK)
		return EVAL_FUNCTION_UNKNOWN;
	switch (pcifn_link(root, pci, "physfn", target, sizeof target)) {
	case SYSFS_OK:
		return EVAL_FUNCTION_VF;
	case SYSFS_ABSENT:
		return EVAL_FUNCTION_PF;
	case SYSFS_UNREADABLE:
		break;
	}
	return EVAL_FUNCTION_UNKNOWN;
}

/* --- ports above NICs --- */

/* Return true for a physical function of a NIC. Virtual ones are part of their NIC, and hundreds of
 * them would leave no room for other NICs. */
static bool
is_physical_nic(int root, const char *pci)
{
	return is_nic(root, pci) && find_function(root, pci) != EVAL_FUNCTION_VF;
}

static void
add_link(struct pcilook *look, const char *port, const char *nic)
{
	struct link *link = NULL;
	for (size_t i = 0; i < look->link_count && link == NULL; i++) {
		if (strcmp(look->links[i].nic, nic) == 0 && strcmp(look->links[i].port, port) == 0)
			link = &look->links[i];
	}
	if (link == NULL && look->link_count == LINKS_MAX)
		return;
	if (link == NULL)
		link = &look->links[look->link_count++];
	strcpy(link->port, port);
	strcpy(link->nic, nic);
	/* Keep an old name if the driver is gone and the NIC has no name now. */
	char name[STANDING_NIC_MAX_BYTES + 1];
	if (find_name(look->root, nic, name))
		strcpy(link->name, name);
}

/* Record the NICs directly below the port, or below bridges of their own card. */
static void
learn_below(struct pcilook *look, const char *port, const char *bridge, int deep)
{
	struct sysfs_names children;
	if (pcifn_list(look->root, bridge, ".", &children) == SYSFS_OK) {
		for (size_t i = 0; i < children.count; i++) {
			char vendor[SYSFS_TEXT_MAX];
			const char *child = children.names[i];
			if (!subject_is_pci(child))
				continue;
			if (is_physical_nic(look->root, child))
				add_link(look, port, child);
			else if (deep > 0 &&
				 pcifn_read(look->root, child, "vendor", vendor, sizeof vendor) ==
					 SYSFS_OK &&
				 strcmp(vendor, PCIFN_VENDOR_MELLANOX) == 0)
				learn_below(look, port, child, deep - 1);
		}
	}
	sysfs_names_fini(&children);
}

void
pcilook_learn(struct pcilook *look)
{
	struct sysfs_names functions;

	pcilook_refresh(look);
	if (look->root < 0)
		return;
	if (sysfs_list_path(look->root, "bus/pci/devices", PCIFN_MAX, &functions) == SYSFS_OK) {
		for (size_t i = 0; i < functions.count; i++) {
			const char *function = functions.names[i];
			if (!subject_is_pci(function))
				continue;
			/* In a guest a NIC has no port above it. Record that the NIC existed. */
			if (is_physical_nic(look->root, function))
				add_link(look, "", function);
			learn_below(look, function, function, BRIDGES_DEEP);
		}
	}
	sysfs_names_fini(&functions);
}

/* --- the facts --- */

static void
add_name(struct eval_facts *facts, const char *name)
{
	struct standing_nics *nics = &facts->nics;
	for (size_t i = 0; i < nics->count; i++) {
		if (strcmp(nics->names[i], name) == 0)
			return;
	}
	if (*name != '\0' && nics->count < STANDING_NICS_MAX)
		strcpy(nics->names[nics->count++], name);
}

static void
find_place(struct pcilook *look, const char *pci, struct eval_facts *facts)
{
	facts->is_nic = is_nic(look->root, pci);
	learn_below(look, pci, pci, BRIDGES_DEEP);
	for (size_t i = 0; i < look->link_count; i++) {
		const struct link *link = &look->links[i];
		facts->is_nic |= strcmp(link->nic, pci) == 0;
		if (strcmp(link->port, pci) == 0) {
			facts->is_above_nic = true;
			add_name(facts, link->name);
		}
	}
}

static struct kept *
kept_for(struct pcilook *look, const char *pci)
{
	for (size_t i = 0; i < look->kept_count; i++) {
		if (strcmp(look->kept[i].pci, pci) == 0)
			return &look->kept[i];
	}
	if (look->kept_count == KEPT_MAX)
		pcilook_refresh(look);
	struct kept *kept = &look->kept[look->kept_count++];
	*kept = (struct kept){0};
	strcpy(kept->pci, pci);
	if (find_name(look->root, pci, kept->facts.nics.names[0]))
		kept->facts.nics.count = 1;
	return kept;
}

const struct eval_facts *
pcilook_get(struct pcilook *look, const char *pci, unsigned wanted)
{
	static const struct eval_facts nothing;

	if (*pci == '\0' || look->root < 0)
		return &nothing;
	struct kept *kept = kept_for(look, pci);
	unsigned missing = wanted & ~kept->wanted;
	kept->wanted |= wanted;
	if ((missing & PCILOOK_FUNCTION) != 0)
		kept->facts.function = find_function(look->root, pci);
	if ((missing & PCILOOK_PLACE) != 0)
		find_place(look, pci, &kept->facts);
	return &kept->facts;
}

/* Return true if the efa driver drives the function of the RDMA device. */
static bool
is_efa(int root, const char *name)
{
	char path[PATH_MAX], driver[NAME_MAX + 1];
	snprintf(path, sizeof path, "class/infiniband/%s/device/driver", name);
	return sysfs_is_name(name) &&
	       sysfs_link_name(root, path, driver, sizeof driver) == SYSFS_OK &&
	       strcmp(driver, EFA_DRIVER) == 0;
}

const struct eval_facts *
pcilook_get_efa(struct pcilook *look, const char *pci, const char *device)
{
	struct eval_facts *efa = &look->efa;
	*efa = (struct eval_facts){0};
	if (*pci == '\0') {
		efa->is_nic = look->root >= 0 && is_efa(look->root, device);
		if (strlen(device) <= STANDING_NIC_MAX_BYTES)
			add_name(efa, device);
	} else if (look->root >= 0 && has_driver(look->root, pci, EFA_DRIVER)) {
		efa->is_nic = true;
		efa->nics.count = read_name(look->root, pci, "infiniband", efa->nics.names[0]);
	}
	return efa;
}
