/* chardevs - the InfiniBand character devices (uverbs, umad, issm) of RDMA devices and ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "chardevs.h"

#include "array.h"
#include "num.h"
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The kernel allows 1024 devices, and as many ports (RDMA_MAX_PORTS). */
#define ENTRIES_MAX 16384

/* Size of an entry's name and of a device's name, with NUL; the kernel's names are shorter. */
#define ENTRY_NAME_SIZE 32
#define DEVICE_NAME_SIZE 65

enum chardev_class {
	CLASS_VERBS,
	CLASS_MAD,
	CLASS_N,
};

static const char *const class_paths[CLASS_N] = {
	[CLASS_VERBS] = "class/infiniband_verbs",
	[CLASS_MAD] = "class/infiniband_mad",
};

struct entry {
	char name[ENTRY_NAME_SIZE];
	ino_t inode;
	enum chardev_kind kind;
	bool is_read;                  /* `device` and `port` are valid */
	char device[DEVICE_NAME_SIZE]; /* RDMA device */
	uint64_t port;                 /* 0 for uverbs, which has no port */
	size_t at;                     /* where find_device() found the device */
};

struct chardevs {
	struct sysfs_kept dirs[CLASS_N];
	struct entry *entries; /* sorted by name */
	size_t count, capacity;
	struct entry **nodes; /* entries that were read, sorted by kind, device and port */
	size_t node_count;
	uint64_t hashes[CLASS_N]; /* of the entries of each class (sysfs_hash()); 0: unknown */
	int errors[CLASS_N];      /* errno; 0: the class was listed */
	bool looked;              /* a port is InfiniBand: this scan listed both classes */
	uint64_t read_ns;         /* last time that all entries were read, CLOCK_MONOTONIC */
};

struct chardevs *
chardevs_new(void)
{
	return calloc(1, sizeof(struct chardevs));
}

void
chardevs_free(struct chardevs *chardevs)
{
	if (chardevs == NULL)
		return;
	for (enum chardev_class i = 0; i < CLASS_N; i++)
		sysfs_kept_fini(&chardevs->dirs[i]);
	free(chardevs->entries);
	free(chardevs->nodes);
	free(chardevs);
}

/* --- listing --- */

static enum chardev_class
class_of(enum chardev_kind kind)
{
	return kind == CHARDEV_UVERBS ? CLASS_VERBS : CLASS_MAD;
}

/* The class that is being listed. */
struct listing {
	enum chardev_class class;
	uint64_t hash;
	struct entry *entries;
	size_t count, capacity;
};

/* Return the kind of an entry such as `uverbs0`, or CHARDEV_KIND_N for any other name. The number
 * has no meaning. */
static enum chardev_kind
kind_of(enum chardev_class class, const char *name)
{
	enum chardev_kind kind = 0;
	for (; kind < CHARDEV_KIND_N; kind++) {
		uint64_t number;
		size_t length = strlen(chardev_name(kind));
		if (class_of(kind) == class && strncmp(name, chardev_name(kind), length) == 0 &&
			num_parse_u64(name + length, UINT32_MAX, &number) == NUM_OK &&
			strlen(name) < ENTRY_NAME_SIZE)
			break;
	}
	return kind;
}

static int
add_entry(void *context, const struct dirent *found)
{
	struct listing *listing = context;
	sysfs_hash_entry(&listing->hash, found);
	enum chardev_kind kind = kind_of(listing->class, found->d_name);
	if (kind == CHARDEV_KIND_N)
		return 0;
	if (listing->count == ENTRIES_MAX) {
		errno = E2BIG;
		return -1;
	}
	struct entry *entries =
		array_grown(listing->entries, listing->count, &listing->capacity, sizeof *entries);
	if (entries == NULL)
		return -1;
	listing->entries = entries;
	struct entry *entry = &entries[listing->count++];
	*entry = (struct entry){.kind = kind, .inode = found->d_ino};
	strcpy(entry->name, found->d_name);
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Replace the entries by the listed ones. What was read of an entry stays valid while its inode is
 * the same. */
static void
keep_known(struct chardevs *chardevs, struct listing *listing)
{
	size_t old = 0;
	for (size_t i = 0; i < listing->count; i++) {
		struct entry *entry = &listing->entries[i];
		while (old < chardevs->count && by_name(&chardevs->entries[old], entry) < 0)
			old++;
		if (old < chardevs->count && by_name(&chardevs->entries[old], entry) == 0 &&
			chardevs->entries[old].inode == entry->inode)
			*entry = chardevs->entries[old];
	}
	free(chardevs->entries);
	chardevs->entries = listing->entries;
	chardevs->count = listing->count;
	chardevs->capacity = listing->capacity;
}

/* Return the number of classes to list. Ethernet ports have no MAD devices. */
static enum chardev_class
needed(const struct chardevs *chardevs)
{
	return chardevs->looked ? CLASS_N : CLASS_MAD;
}

/* Return true if the classes still have the known entries. */
static bool
is_as_before(struct chardevs *chardevs, int root)
{
	for (enum chardev_class i = 0; i < needed(chardevs); i++) {
		uint64_t hash = SYSFS_HASH_START;
		if (sysfs_walk_kept(&chardevs->dirs[i], root, class_paths[i], sysfs_hash_entry,
			    &hash) != SYSFS_OK ||
			hash != chardevs->hashes[i])
			return false;
	}
	return true;
}

/* List the classes again if their entries changed. Return false if they are the same. */
static bool
list(struct chardevs *chardevs, int root)
{
	struct listing listing = {.entries = NULL};

	if (is_as_before(chardevs, root))
		return false;
	chardevs->hashes[CLASS_MAD] = 0;
	for (enum chardev_class i = 0; i < needed(chardevs); i++) {
		size_t before = listing.count;
		listing.class = i;
		listing.hash = SYSFS_HASH_START;
		chardevs->errors[i] = 0;
		if (sysfs_walk_kept(&chardevs->dirs[i], root, class_paths[i], add_entry,
			    &listing) != SYSFS_OK) {
			chardevs->errors[i] = errno;
			listing.count = before;
			listing.hash = 0;
		}
		chardevs->hashes[i] = listing.hash;
	}
	if (listing.count > 0)
		qsort(listing.entries, listing.count, sizeof *listing.entries, by_name);
	keep_known(chardevs, &listing);
	return true;
}

/* --- reading --- */

/* Read a file of an entry. sysfs_read_plain() does not block on a pipe in its place. */
static bool
read_file(const struct entry *entry, int root, const char *file, char text[SYSFS_TEXT_MAX])
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/%s/%s", class_paths[class_of(entry->kind)], entry->name,
		file);
	return sysfs_read_plain(root, path, text, SYSFS_TEXT_MAX) == SYSFS_OK;
}

/* An entry that cannot be read counts as missing; the next scan reads it again. */
static void
read_entry(struct entry *entry, int root)
{
	char text[SYSFS_TEXT_MAX];

	entry->is_read = false;
	entry->port = 0;
	if (!read_file(entry, root, "ibdev", text) || strlen(text) >= sizeof entry->device)
		return;
	strcpy(entry->device, text);
	entry->is_read = entry->kind == CHARDEV_UVERBS ||
			 (read_file(entry, root, "port", text) &&
				 num_parse_u64(text, UINT32_MAX, &entry->port) == NUM_OK);
}

static int
compare_nodes(const struct entry *a, const struct entry *b)
{
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	int order = strcmp(a->device, b->device);
	if (order == 0 && a->port != b->port)
		order = a->port < b->port ? -1 : 1;
	return order;
}

static int
by_node(const void *a, const void *b)
{
	return compare_nodes(*(const struct entry *const *)a, *(const struct entry *const *)b);
}

/* Read the entries that were not read yet, or all of them, and index them. */
static void
read_entries(struct chardevs *chardevs, int root, bool all)
{
	if (all)
		chardevs->read_ns = clock_monotonic_ns();
	free(chardevs->nodes);
	chardevs->node_count = 0;
	chardevs->nodes = calloc(chardevs->count + 1, sizeof *chardevs->nodes);
	if (chardevs->nodes == NULL) {
		chardevs->errors[CLASS_VERBS] = chardevs->errors[CLASS_MAD] = ENOMEM;
		return;
	}
	for (size_t i = 0; i < chardevs->count; i++) {
		struct entry *entry = &chardevs->entries[i];
		if (all || !entry->is_read)
			read_entry(entry, root);
		if (entry->is_read)
			chardevs->nodes[chardevs->node_count++] = entry;
	}
	qsort(chardevs->nodes, chardevs->node_count, sizeof *chardevs->nodes, by_node);
}

/* --- assignment to devices --- */

static enum chardev_sight
see(const struct chardevs *chardevs, enum chardev_kind kind, const char *device, uint64_t port)
{
	struct entry wanted = {.kind = kind, .port = port};
	const struct entry *key = &wanted;

	if (!chardevs->looked || chardevs->errors[class_of(kind)] != 0)
		return CHARDEV_UNKNOWN;
	if (strlen(device) >= sizeof wanted.device)
		return CHARDEV_MISSING;
	strcpy(wanted.device, device);
	return bsearch(&key, chardevs->nodes, chardevs->node_count, sizeof *chardevs->nodes,
		       by_node) != NULL
		       ? CHARDEV_PRESENT
		       : CHARDEV_MISSING;
}

static bool
is_infiniband(const struct port *port)
{
	return port->link_layer.present && chardev_is_infiniband(port->link_layer.text);
}

static bool
has_infiniband(const struct device *device)
{
	for (size_t i = 0; device->answered && i < device->port_count; i++) {
		if (is_infiniband(&device->ports[i]))
			return true;
	}
	return false;
}

/* Set the character devices of each device. Return true if a uverbs or umad is missing. A missing
 * issm does not count: many ports rightly have none, and it is renamed only together with the
 * others. */
static bool
assign(const struct chardevs *chardevs, struct device **devices, size_t count)
{
	bool is_missing = false;
	for (size_t i = 0; i < count; i++) {
		struct device *device = devices[i];
		const char *name = device->name;
		bool any = has_infiniband(device);
		device->uverbs = any ? see(chardevs, CHARDEV_UVERBS, name, 0) : CHARDEV_UNKNOWN;
		is_missing |= device->uverbs == CHARDEV_MISSING;
		for (size_t p = 0; any && p < device->port_count; p++) {
			struct port *port = &device->ports[p];
			bool wanted = is_infiniband(port);
			port->umad = wanted ? see(chardevs, CHARDEV_UMAD, name, port->number)
					    : CHARDEV_UNKNOWN;
			port->issm = wanted ? see(chardevs, CHARDEV_ISSM, name, port->number)
					    : CHARDEV_UNKNOWN;
			is_missing |= port->umad == CHARDEV_MISSING;
		}
	}
	return is_missing;
}

/* While one is missing, each scan reads all entries: when a device is renamed its entries stay, and
 * their ibdev file may show the new name a moment after class/infiniband does. */
void
chardevs_look(struct chardevs *chardevs, int root, struct device **devices, size_t count)
{
	chardevs->looked = false;
	chardevs->errors[CLASS_VERBS] = chardevs->errors[CLASS_MAD] = 0;
	for (size_t i = 0; i < count && !chardevs->looked; i++)
		chardevs->looked = has_infiniband(devices[i]);
	bool is_new = list(chardevs, root);
	bool is_old = clock_monotonic_ns() - chardevs->read_ns >= IBSCAN_REOPEN_NS;
	if (is_new || is_old || chardevs->node_count < chardevs->count)
		read_entries(chardevs, root, is_old);
	if (assign(chardevs, devices, count) && chardevs->looked) {
		read_entries(chardevs, root, true);
		assign(chardevs, devices, count);
	}
}

/* --- devices in other network namespaces --- */

static int
by_device(const void *name, const void *device)
{
	return strverscmp(name, (*(struct device *const *)device)->name);
}

/* Return the device of that name, or NULL. Begin at `*at`, where it was last, and update that. */
static const struct device *
find_device(const char *name, struct device *const *devices, size_t count, size_t *at)
{
	if (*at < count && strcmp(devices[*at]->name, name) == 0)
		return devices[*at];
	struct device *const *found =
		count > 0 ? bsearch(name, devices, count, sizeof *devices, by_device) : NULL;
	if (found == NULL)
		return NULL;
	*at = (size_t)(found - devices);
	return *found;
}

/* Return whether the scan lists the entry's device, or class/infiniband has it by now. */
static bool
is_here(struct entry *entry, int root, struct device **devices, size_t count)
{
	char path[PATH_MAX];
	struct stat status;
	const struct device *found = find_device(entry->device, devices, count, &entry->at);

	if (found != NULL && found->listed)
		return true;
	snprintf(path, sizeof path, "class/infiniband/%s", entry->device);
	return fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/* Only class/infiniband hides devices of other network namespaces (kernel#network-namespaces). A
 * device gets its uverbs entry after that in class/infiniband and loses it before: if the uverbs
 * entry is there after a look that did not find the other, the device neither comes nor goes.
 * Update the entry's device, which may have another name since it was read. */
static bool
is_elsewhere(struct entry *entry, int root, struct device **devices, size_t count)
{
	while (!is_here(entry, root, devices, count)) {
		const struct entry before = *entry;
		read_entry(entry, root);
		if (!entry->is_read || strcmp(entry->device, before.device) == 0)
			return entry->is_read;
	}
	return false;
}

void
chardevs_list_elsewhere(struct chardevs *chardevs, int root, struct device **devices, size_t count,
	struct strbuf *list)
{
	for (size_t i = 0; i < chardevs->node_count; i++) {
		struct entry *known = chardevs->nodes[i], entry = *known;
		if (known->kind == CHARDEV_UVERBS && is_elsewhere(&entry, root, devices, count))
			record_list_name(list, entry.device);
		known->at = entry.at;
	}
}

/* --- errors --- */

static const char *
error_name(const struct chardevs *chardevs, enum chardev_class class)
{
	int error = chardevs->errors[class];
	return error != 0 && chardevs->looked ? sysfs_errno_name(error) : NULL;
}

const char *
chardevs_verbs_error(const struct chardevs *chardevs)
{
	return error_name(chardevs, CLASS_VERBS);
}

const char *
chardevs_mad_error(const struct chardevs *chardevs)
{
	return error_name(chardevs, CLASS_MAD);
}
