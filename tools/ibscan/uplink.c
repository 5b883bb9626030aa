/* uplink - the port of a NIC in switchdev mode, whose states its network interface tells. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "uplink.h"

#include "attribute.h"
#include "layer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Return 0, an errno that concerns the device, or ENOENT for any other failure. */
static int
error_of(enum sysfs_status status)
{
	if (status == SYSFS_OK)
		return 0;
	return status == SYSFS_UNREADABLE && attribute_concerns_device(errno) ? errno : ENOENT;
}

static int
read_is_ethernet(int root, const char *device, unsigned number, bool *is)
{
	char path[PATH_MAX], text[SYSFS_TEXT_MAX];
	snprintf(path, sizeof path, "class/infiniband/%s/ports/%u/link_layer", device, number);
	int error = error_of(sysfs_read_path(root, path, text, sizeof text));
	*is = error == 0 && strcmp(text, layer_name(LAYER_ETHERNET)) == 0;
	return error == ENOENT ? 0 : error;
}

static int
read_has_gids(int root, const char *device, unsigned number, bool *has)
{
	char path[PATH_MAX];
	struct sysfs_names gids = {0};
	snprintf(path, sizeof path, "class/infiniband/%s/ports/%u/gids", device, number);
	int error = error_of(sysfs_list_path(root, path, IBSCAN_FILES_MAX, &gids));
	*has = gids.count > 0;
	sysfs_names_fini(&gids);
	return error == ENOENT ? 0 : error;
}

/* Only representors have no GID table (mlx5_ib_rep_query_port() in the kernel). A NIC with two
 * physical ports on one function has two tables. */
int
uplink_detect(int root, const char *device, const struct identity *identity, bool *is)
{
	*is = false;
	if (identity->driver == NULL || strcmp(identity->driver, "mlx5_core") != 0 || identity->vf)
		return 0;
	for (unsigned number = 1; number <= 2; number++) {
		bool is_ethernet = false, has_gids = false;
		int error = read_is_ethernet(root, device, number, &is_ethernet);
		if (error == 0 && is_ethernet)
			error = read_has_gids(root, device, number, &has_gids);
		if (error != 0 || !is_ethernet || has_gids)
			return error;
	}
	*is = true;
	return 0;
}

bool
uplink_is_bonded(int root, const char *netdev)
{
	char path[PATH_MAX];
	struct stat status;
	snprintf(path, sizeof path, "class/net/%s/master/bonding", netdev);
	return sysfs_stat(root, path, &status) == SYSFS_OK;
}

/* The kernel takes the carrier of the bond when mlx5 bonds the links (mlx5_query_port_roce()). An
 * uplink is also below Open vSwitch, whose own interface says nothing about links. */
void
uplink_open(int root, const char *netdev, int *dir)
{
	char path[PATH_MAX];
	const char *master = uplink_is_bonded(root, netdev) ? "/master" : "";
	snprintf(path, sizeof path, "class/net/%s%s", netdev, master);
	sysfs_open_dir(root, path, dir);
}

static void
set_text(struct text_value *value, const char *text)
{
	value->present = true;
	snprintf(value->text, sizeof value->text, "%s", text);
}

int
uplink_read_states(struct port *port)
{
	char carrier[SYSFS_TEXT_MAX] = "0";
	int error = ENODATA;

	port->state.present = port->phys_state.present = false;
	if (port->uplink_dir >= 0)
		error = attribute_read(&port->carrier_attribute, port->uplink_dir, "carrier",
				carrier, sizeof carrier) == SYSFS_OK
				? 0
				: errno;
	/* The kernel does not tell the carrier of an interface that is switched off. */
	if (error != 0 && error != EINVAL)
		return error == EINTR ? EINTR : ENODATA;
	bool is_up = error == 0 && strcmp(carrier, "1") == 0;
	set_text(&port->state, is_up ? "4: ACTIVE" : "1: DOWN");
	set_text(&port->phys_state, is_up ? "5: LinkUp" : "3: Disabled");
	return 0;
}
