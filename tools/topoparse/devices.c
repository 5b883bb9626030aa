/* devices - do the devices that the matrix names exist? */
#include "devices.h"

#include "diag.h"
#include "sysfs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* More than a node has, with all their virtual functions. */
#define DEVICES_MAX 8192

/* Beyond this many warnings a number says as much. */
#define WARNINGS_MAX 32

static bool
exists(const struct sysfs_names *devices, const char *name)
{
	for (size_t i = 0; i < devices->count; i++) {
		if (strcmp(devices->names[i], name) == 0)
			return true;
	}
	return false;
}

static void
warn_missing(const struct topo *topo, const struct sysfs_names *devices, const char *root_name)
{
	size_t missing = 0;

	for (size_t i = 0; i < topo->nic_count; i++) {
		const char *name = topo->nics[i].name;
		if (!exists(devices, name) && ++missing <= WARNINGS_MAX)
			diag_warn("%s is in the matrix, but not in %s/class/infiniband", name,
				root_name);
	}
	if (missing > WARNINGS_MAX)
		diag_warn("and %zu more that are not in %s/class/infiniband",
			missing - WARNINGS_MAX, root_name);
}

void
devices_check(const struct topo *topo, int root, const char *root_name)
{
	struct sysfs_names devices;
	int fd;

	enum sysfs_status status = sysfs_open_dir(root, "class/infiniband", &fd);
	if (status == SYSFS_OK) {
		status = sysfs_list(fd, DEVICES_MAX, &devices);
		int saved_errno = errno;
		close(fd);
		if (status == SYSFS_OK)
			warn_missing(topo, &devices, root_name);
		sysfs_names_fini(&devices);
		errno = saved_errno;
	}
	if (status != SYSFS_OK)
		diag_warn("%s/class/infiniband cannot be listed, device names are not checked: %s",
			root_name, strerror(errno));
}
