/* tally - what is monitored and what stands, counted from a scan and what is remembered. */
#include "tally.h"

#include "evaluation.h"
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
	case TALLY_NO_ROLE:
	case TALLY_ROLE_N:
		break;
	}
	return "none";
}

/* --- what is monitored --- */

/* A management NIC that the configuration names is monitored, and has no role of the job's. */
static enum tally_role
role_of(const struct device_entry *device)
{
	enum tally_role role = 0;
	while (role < TALLY_NO_ROLE && strcmp(device->role, tally_role_name(role)) != 0)
		role++;
	return role;
}

/* One device being counted. */
struct counted {
	struct tally_monitored *tally;
	const struct device_entry *device;
	bool infiniband, ethernet; /* it has such a port */
};

static void
count_port(struct counted *counted, const struct port_entry *port)
{
	struct tally_monitored *tally = counted->tally;
	const char *role = counted->device->role;
	uint64_t hash = hash_bytes(HASH_START, port->node.key, strlen(port->node.key) + 1);

	/* A sum, so that the order is of no account. */
	tally->port_set += hash_bytes(hash, role, strlen(role));
	tally->ports++;
	tally->roles[role_of(counted->device)]++;
	counted->ethernet |= port->ethernet;
	counted->infiniband |= !port->ethernet;
}

/* What was seen of it while it could be read, and what still can be. */
static void
count_remembered(struct counted *counted, const struct state *state)
{
	for (const struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node)) {
		const struct port_entry *port = (const struct port_entry *)node;
		if (port->known && !port->gone &&
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
		if (entry != NULL && evaluation_is_judged(scan, port))
			count_port(counted, entry);
	}
}

struct tally_monitored
tally_monitored(const struct state *state, const struct scan *scan)
{
	struct tally_monitored tally = {.port_set = HASH_START};
	size_t at = 0; /* ports stand behind their devices */

	for (size_t i = 0; i < scan->device_count; i++) {
		const struct scan_device *device = &scan->devices[i];
		struct counted counted = {
			.tally = &tally, .device = state_find_device(state, device->record.device)};

		while (at < scan->port_count &&
			(scan->ports[at].device < i || scan->ports[at].device == SIZE_MAX))
			at++;
		if (counted.device == NULL || !evaluation_is_watched(device))
			continue;
		if (device->record.error != NULL)
			count_remembered(&counted, state);
		else
			count_seen(&counted, state, scan, i, &at);
		tally.devices += counted.infiniband || counted.ethernet;
		tally.infiniband += counted.infiniband;
		tally.ethernet += counted.ethernet;
	}
	if (tally.port_set == 0)
		tally.port_set = 1;
	return tally;
}

/* --- what stands --- */

static void
count(struct tally_standing *standing, bool fatal)
{
	if (fatal)
		standing->fatal++;
	else
		standing->degraded++;
}

static bool
is_gone(const struct device_entry *device)
{
	return device->presence == DEVICE_GONE || device->presence == DEVICE_GONE_SILENT;
}

/* The ports of a device that is gone count as fatal ever since, and nobody has said that of them. */
static void
count_of_port(
	struct tally_standing *standing, const struct state *state, const struct port_entry *port)
{
	const struct device_entry *device = state_find_device(state, port->device);
	if (port_is_reported(port->health) && (device == NULL || !is_gone(device)))
		count(standing, port->health == PORT_FATAL);
	if (port->rate == RATE_SLOW)
		count(standing, false);
	for (size_t i = 0; i < port->counter_count; i++) {
		if (port->counters[i].breached)
			count(standing, port->counters[i].breach.fatal);
		if (port->counters[i].saturation == SATURATION_REPORTED)
			count(standing, false);
	}
}

struct tally_standing
tally_standing(const struct state *state)
{
	struct tally_standing standing = {0};

	for (const struct table_node *node = table_next(&state->ports, NULL); node != NULL;
		node = table_next(&state->ports, node))
		count_of_port(&standing, state, (const struct port_entry *)node);
	for (const struct table_node *node = table_next(&state->devices, NULL); node != NULL;
		node = table_next(&state->devices, node)) {
		const struct device_entry *device = (const struct device_entry *)node;
		if (is_gone(device))
			count(&standing, true);
		if (device->presence == DEVICE_SILENT || device->presence == DEVICE_GONE_SILENT)
			count(&standing, false);
	}
	for (const struct table_node *node = table_next(&state->cards, NULL); node != NULL;
		node = table_next(&state->cards, node)) {
		if (((const struct card_entry *)node)->memory == CARD_ANOMALOUS)
			count(&standing, true);
	}
	for (const struct orphan *orphan = state->orphans; orphan != NULL; orphan = orphan->next)
		count(&standing, !orphan->saturated && orphan->breach.fatal);
	return standing;
}
