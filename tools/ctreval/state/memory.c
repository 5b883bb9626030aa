/* memory - names and predicates of port_memory, and the verdict on one reading of a port. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include <string.h>

static const char *const names[PORT_MEMORY_N] = {
	[PORT_NEW] = "new",
	[PORT_NEW_SUSPECT] = "suspect",
	[PORT_HEALTHY] = "healthy",
	[PORT_DEGRADED] = "degraded",
	[PORT_FATAL] = "fatal",
	[PORT_DEGRADED_MUTE] = "degraded_muted",
	[PORT_FATAL_MUTE] = "fatal_muted",
};

const char *
port_memory_name(enum port_memory memory)
{
	return names[memory];
}

enum port_memory
port_memory_find(const char *name)
{
	enum port_memory memory = 0;
	while (memory < PORT_MEMORY_N && strcmp(names[memory], name) != 0)
		memory++;
	return memory;
}

bool
port_is_reported(enum port_memory memory)
{
	return memory == PORT_DEGRADED || memory == PORT_FATAL;
}

bool
port_is_dark(enum port_memory memory)
{
	return memory == PORT_NEW || memory == PORT_DEGRADED_MUTE || memory == PORT_FATAL_MUTE;
}

enum port_memory
port_lost(enum port_memory memory)
{
	return port_is_dark(memory) ? memory : PORT_FATAL;
}

static bool
is(const char *text, const char *wanted)
{
	return strcmp(text, wanted) == 0;
}

enum port_sight
sight_eval(enum layer layer, const char *state, const char *phys_state)
{
	if (is(state, "ACTIVE") && is(phys_state, "LinkUp"))
		return SIGHT_HEALTHY;
	if (layer != LAYER_INFINIBAND)
		return is(state, "DOWN") ? SIGHT_FATAL : SIGHT_TRANSIENT;
	/* The link is training or recovering and may still come up by itself. A link of XDR trains
	 * where older ones poll. */
	if (is(phys_state, "Polling") || is(phys_state, "PortConfigurationTraining") ||
		is(phys_state, "LinkErrorRecovery"))
		return SIGHT_DEGRADED;
	return is(state, "DOWN") || is(phys_state, "Disabled") ? SIGHT_FATAL : SIGHT_DEGRADED;
}
