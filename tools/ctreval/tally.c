/* tally - counts monitored devices and ports. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include "check/evaluation.h"
#include "hash.h"

#include <string.h>

const char *
tally_role_name(enum tally_role role)
{
	switch (role) {
	case TALLY_COMPUTE:
		return "compute";
	case TALLY_STORAGE:
		return "storage";
	case TALLY_FABRIC:
		return "fabric";
	case TALLY_NO_ROLE:
	case TALLY_ROLE_N:
		break;
	}
	return "none";
}

/* A management NIC is monitored only if the configuration names it, and counts as having no
 * role. */
static enum tally_role
role_of(const struct device_entry *device)
{
	enum tally_role role = 0;
	while (role < TALLY_NO_ROLE && strcmp(device->role, tally_role_name(role)) != 0)
		role++;
	return role;
}

/* A device being counted. */
struct counted {
	struct tally_monitored *tally;
	const struct device_entry *device;
	bool has[LAYER_N]; /* it has a port of this link layer */
};

static void
count_port(struct counted *counted, const struct port_entry *port)
{
	struct tally_monitored *tally = counted->tally;
	const char *role = counted->device->role;
	uint64_t hash = hash_bytes(HASH_START, port->node.key, strlen(port->node.key) + 1);

	tally->port_set = hash_sum(tally->port_set, hash_bytes(hash, role, strlen(role)));
	tally->ports++;
	tally->roles[role_of(counted->device)]++;
	counted->has[port->layer] = true;
}

/* Count the ports of an unreadable device as last seen. */
static void
count_remembered(struct counted *counted, const struct state *state)
{
	table_foreach (&state->ports, const struct port_entry, port) {
		if (port->known && !port->gone_said.stands &&
			strcmp(port->device, counted->device->node.key) == 0)
			count_port(counted, port);
	}
}

static void
count_seen(struct counted *counted, const struct state *state, const struct scan *scan,
	size_t device, size_t *at)
{
	for (; *at < scan->port_count && scan->ports[*at].device == device; ++*at) {
		const struct scan_port *port = &scan->ports[*at];
		const struct port_entry *entry =
			state_find_port(state, port->record.device, port->record.port);
		if (entry != NULL && watched_port(scan, port))
			count_port(counted, entry);
	}
}

static void
add_device(const struct counted *counted)
{
	bool any = false;
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		counted->tally->layers[layer] += counted->has[layer];
		any |= counted->has[layer];
	}
	counted->tally->devices += any;
}

struct tally_monitored
tally_monitored(const struct state *state, const struct scan *scan)
{
	struct tally_monitored tally = {.port_set = HASH_START};
	size_t at = 0; /* ports follow their devices */

	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		struct counted counted = {
			.tally = &tally, .device = state_find_device(state, device->record.device)};

		while (at < scan->port_count &&
			(scan->ports[at].device < i || scan->ports[at].device == SIZE_MAX))
			at++;
		if (counted.device == NULL || !watched_device(device))
			continue;
		if (device->record.error != NULL)
			count_remembered(&counted, state);
		else
			count_seen(&counted, state, scan, i, &at);
		add_device(&counted);
	}
	if (tally.port_set == 0)
		tally.port_set = 1;
	return tally;
}
