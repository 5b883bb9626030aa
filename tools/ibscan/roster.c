/* roster - the list of devices in class/infiniband. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "roster.h"

#include "array.h"
#include "config.h"
#include "device.h"
#include "num.h"
#include "readers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#define CLASS_PATH "class/infiniband"

/* How long to check the directories of a new device: its driver may still be creating entries. */
#define YOUNG_NS (5 * NUM_NS_PER_S)

struct entry {
	char *name;
	ino_t inode;
};

/* The class directory while it is being listed. */
struct listing {
	const struct roster *roster;
	const struct scan_config *config;
	uint64_t hash; /* over names and inodes of all entries */
	struct entry *devices;
	size_t count, capacity;
};

/* Return true if an entry of class/infiniband is a device: anything but a regular file. A dangling
 * link was a device a moment ago. */
static bool
is_device(const struct listing *listing, const struct dirent *entry)
{
	struct stat status;
	if (!config_wants_device(listing->config, entry->d_name))
		return false;
	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type != DT_REG;
	return fstatat(dirfd(listing->roster->class.stream), entry->d_name, &status,
		       AT_SYMLINK_NOFOLLOW) < 0 ||
	       !S_ISREG(status.st_mode);
}

static int
add_entry(void *context, const struct dirent *entry)
{
	struct listing *listing = context;
	sysfs_hash_entry(&listing->hash, entry);
	if (!is_device(listing, entry))
		return 0;
	if (listing->count == IBSCAN_DEVICES_MAX) {
		errno = E2BIG;
		return -1;
	}
	struct entry *devices =
		array_grown(listing->devices, listing->count, &listing->capacity, sizeof *devices);
	if (devices == NULL)
		return -1;
	listing->devices = devices;
	devices[listing->count] =
		(struct entry){.name = strdup(entry->d_name), .inode = entry->d_ino};
	if (devices[listing->count].name == NULL)
		return -1;
	listing->count++;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	return strverscmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* Store the entry's inode. A new inode means another device, or that it was registered again. */
static void
note_entry(struct roster *roster, struct device *device, ino_t inode)
{
	if (device->listed && atomic_load(&device->entry) == inode)
		return;
	roster->change_ns = clock_monotonic_ns();
	device->listed = true;
	atomic_store(&device->entry, inode);
	atomic_store(&device->young_until_ns, roster->change_ns + YOUNG_NS);
}

/* Update the roster from the list; both are in natural order. Keep a device that is gone while a
 * reader is busy with it. Return 0, or -1 when memory runs out. */
static int
merge(struct roster *roster, const struct listing *listing)
{
	struct device **merged = calloc(roster->count + listing->count + 1, sizeof *merged);
	if (merged == NULL)
		return -1;

	size_t old = 0, new = 0, count = 0;
	while (old < roster->count || new < listing->count) {
		struct device *known = old < roster->count ? roster->devices[old] : NULL;
		const struct entry *entry = new < listing->count ? &listing->devices[new] : NULL;
		int order = entry == NULL   ? -1
			    : known == NULL ? 1
					    : strverscmp(known->name, entry->name);

		struct device *device = order > 0 ? device_new(entry->name) : known;
		if (device == NULL)
			break;
		old += order <= 0;
		new += order >= 0;
		if (order >= 0) {
			note_entry(roster, device, entry->inode);
		} else if (device->listed) {
			roster->change_ns = clock_monotonic_ns();
			device->listed = false;
		}
		if (!device->listed && readers_is_idle(device))
			device_free(device);
		else
			merged[count++] = device;
	}
	/* Entries are left only if memory ran out; then keep the known devices. */
	bool failed = old < roster->count || new < listing->count;
	while (old < roster->count)
		merged[count++] = roster->devices[old++];

	free(roster->devices);
	roster->devices = merged;
	roster->count = count;
	return failed ? -1 : 0;
}

/* Return true if the class directory has the same entries as when it was last listed, and no device
 * that is gone is left in the roster. */
static bool
is_as_before(struct roster *roster, int root)
{
	uint64_t hash = SYSFS_HASH_START;
	if (sysfs_walk_kept(&roster->class, root, CLASS_PATH, sysfs_hash_entry, &hash) !=
			SYSFS_OK ||
		hash != roster->hash)
		return false;
	for (size_t i = 0; i < roster->count; i++) {
		if (!roster->devices[i]->listed)
			return false;
	}
	return true;
}

int
roster_update(struct roster *roster, int root, const struct scan_config *config, int *list_error)
{
	struct listing listing = {.roster = roster, .config = config, .hash = SYSFS_HASH_START};
	int status = 0;

	*list_error = 0;
	if (is_as_before(roster, root))
		return 0;
	roster->hash = 0;
	if (sysfs_walk_kept(&roster->class, root, CLASS_PATH, add_entry, &listing) != SYSFS_OK) {
		*list_error = errno;
	} else {
		if (listing.count > 0)
			qsort(listing.devices, listing.count, sizeof *listing.devices, by_name);
		status = merge(roster, &listing);
	}
	if (status == 0 && *list_error == 0)
		roster->hash = listing.hash;
	for (size_t i = 0; i < listing.count; i++)
		free(listing.devices[i].name);
	free(listing.devices);
	return status;
}

void
roster_doubt(struct roster *roster)
{
	sysfs_kept_fini(&roster->class);
}

void
roster_fini(struct roster *roster)
{
	for (size_t i = 0; i < roster->count; i++)
		device_free(roster->devices[i]);
	free(roster->devices);
	sysfs_kept_fini(&roster->class);
}
