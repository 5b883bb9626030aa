/* portfacts - facts that follow from one port record alone. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portfacts.h"

#include "layer.h"
#include "text.h"

bool
portfacts_is_up(const struct scanrec_port *port)
{
	return text_equals(port->state, "ACTIVE") && text_equals(port->phys_state, "LinkUp");
}

bool
portfacts_is_ethernet(const struct scanrec_port *port)
{
	return layer_find(port->link_layer) == LAYER_ETHERNET;
}

bool
portfacts_has_counter(const struct scanrec_port *port, const struct counter_def *def)
{
	return counter_is_of(def, port->vendor) && counter_is_for(def, port->link_layer);
}

const json_t *
portfacts_counter(const struct scanrec_port *port, const struct counter_def *def)
{
	const json_t *maps[] = {
		[COUNTER_PORT] = port->counters,
		[COUNTER_HW] = port->hw_counters,
		[COUNTER_DEVICE_HW] = port->device_hw_counters,
		[COUNTER_STATISTICS] = port->net,
		[COUNTER_INTERFACE] = port->net,
	};
	uint64_t value;
	const json_t *counter = portfacts_has_counter(port, def)
					? json_object_get(maps[def->group], def->file)
					: NULL;
	/* ionic reports UINT64_MAX if the firmware has no value (ionic_v1_stat_val). */
	return port->vendor == VENDOR_AMD && rec_u64(counter, &value) == REC_OK &&
			       value == UINT64_MAX
		       ? NULL
		       : counter;
}

bool
portfacts_is_function(const struct scanrec_device *device, const char *pci)
{
	return device->parent == NULL && !device->vf && text_equals(device->pci, pci);
}

bool
portfacts_is_pinned(const struct scanrec_device *device)
{
	return device->monitored && text_equals(device->reason, "override");
}

const char *
portfacts_no_peers(const char *role)
{
	if (role == NULL)
		return "its role and therefore its peers are unknown";
	/* Each of them may be connected to another network. */
	if (strcmp(role, "fabric") == 0)
		return "the NICs of a node without GPUs may differ";
	return NULL;
}

bool
portfacts_may_be_watched(const struct scanrec_device *device)
{
	if (device->monitored || device->error == NULL || device->role != NULL)
		return device->monitored;
	/* Devices of other vendors are recognised by vendor or driver. */
	return text_equals(device->reason, "unreadable") ||
	       (text_equals(device->reason, "vendor") && device->driver == NULL &&
		       device->vendor == NULL);
}

enum portfacts_gids
portfacts_gids(const struct scanrec_port *port)
{
	uint64_t total = 0, ipv4_mapped = 0;

	if (port->gids == NULL || !portfacts_is_ethernet(port) ||
		!text_equals(port->state, "ACTIVE") ||
		rec_get_u64(port->gids, "total", &total) != REC_OK ||
		rec_get_u64(port->gids, "ipv4_mapped", &ipv4_mapped) != REC_OK)
		return PORTFACTS_GIDS_UNKNOWN;
	if (total == 0)
		return PORTFACTS_GIDS_NONE;
	return ipv4_mapped == 0 ? PORTFACTS_GIDS_NO_IPV4 : PORTFACTS_GIDS_FINE;
}

const char *
portfacts_gids_reason(enum portfacts_gids gids)
{
	switch (gids) {
	case PORTFACTS_GIDS_NO_IPV4:
		return "no IPv4 GID";
	case PORTFACTS_GIDS_NONE:
		return "no valid GID";
	case PORTFACTS_GIDS_UNKNOWN:
	case PORTFACTS_GIDS_FINE:
	case PORTFACTS_GIDS_N:
		break;
	}
	return "";
}
