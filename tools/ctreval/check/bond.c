/* bond - RDMA devices that stand for several functions of their card. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "bond.h"

#include "evaluation.h"

#include <string.h>

static bool
is_bond(const char *name)
{
	return name != NULL && strstr(name, "bond") != NULL;
}

static bool
has_interface_in_bond(const struct scanrec_device *device)
{
	size_t i, j;
	json_t *netdev, *upper;

	json_array_foreach (device->netdevs, i, netdev) {
		if (json_is_true(json_object_get(netdev, "bonded")))
			return true;
		json_array_foreach (json_object_get(netdev, "uppers"), j, upper) {
			if (is_bond(json_string_value(upper)))
				return true;
		}
	}
	return false;
}

/* Return true if a function of the card has a driver but no RDMA device. */
static bool
has_bare_function(const struct scan *scan, const char *card)
{
	size_t i, length = strlen(card);
	json_t *function;

	json_array_foreach (scan->end.functions, i, function) {
		const char *pci = json_string_value(json_object_get(function, "pci"));
		if (pci != NULL && strncmp(pci, card, length) == 0 && pci[length] == '.' &&
			json_is_string(json_object_get(function, "driver")) &&
			scan_on_function(scan, pci) == NULL)
			return true;
	}
	return false;
}

bool
bond_is_possible(const struct scanrec_device *device)
{
	return is_bond(device->device) || has_interface_in_bond(device);
}

const struct scan_device *
bond_of_card(const struct scan *scan, const char *card)
{
	for (size_t i = 0; i < scan->device_count && *card != '\0'; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		char other[STATE_NAME_SIZE];
		evaluation_card(device, other);
		if (strcmp(other, card) == 0 &&
			(is_bond(device->device) ||
				(has_interface_in_bond(device) && has_bare_function(scan, card))))
			return &scan->devices[i];
	}
	return NULL;
}
