/* hostnic - remembers which functions carried the node's default route. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostnic.h"

#include "portfacts.h"
#include "text.h"

#include <string.h>

static bool
carries_route(const struct scanrec_device *device)
{
	return text_equals(device->reason, "default_route");
}

bool
hostnic_is_known(const struct scan *scan)
{
	for (size_t i = 0; i < scan->device_count; i++) {
		if (carries_route(&scan->devices[i].record))
			return true;
	}
	return false;
}

static bool
is_up(const struct scan *scan, const char *function)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (watched_port(scan, port) &&
			portfacts_is_function(&scan->devices[port->device].record, function) &&
			portfacts_is_up(&port->record))
			return true;
	}
	return false;
}

static void
add(struct host_nics *nics, const char *function)
{
	if (function != NULL && nics->count < HOST_NICS_MAX)
		state_copy(nics->functions[nics->count++], sizeof nics->functions[0], function);
}

void
hostnic_note(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	struct state *state = evaluation->state;
	struct host_nics nics = {.count = 0};
	const bool is_known = hostnic_is_known(scan);

	for (size_t i = 0; i < scan->device_count && is_known; i++) {
		const struct scanrec_device *device = &scan->devices[i].record;
		if (carries_route(device))
			add(&nics, device->pci);
	}
	for (size_t i = 0; i < state->host_nics.count && !is_known; i++) {
		if (!is_up(scan, state->host_nics.functions[i]))
			add(&nics, state->host_nics.functions[i]);
	}
	/* A scan that lost records may have lost that of such a device. */
	if (!scan->whole || (nics.count == state->host_nics.count &&
				    memcmp(nics.functions, state->host_nics.functions,
					    sizeof nics.functions) == 0))
		return;
	state->host_nics = nics;
	state->changed = true;
}

bool
hostnic_may_be(const struct evaluation *evaluation, const struct scanrec_device *device)
{
	const struct host_nics *nics = &evaluation->state->host_nics;
	bool found = false;

	for (size_t i = 0; i < nics->count; i++)
		found |= portfacts_is_function(device, nics->functions[i]);
	return found && !hostnic_is_known(evaluation->scan);
}
