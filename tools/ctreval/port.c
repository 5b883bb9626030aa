/* port - when a port's state is an event: SPEC section 4.2, as pure functions and one table. */
#include "port.h"

#include <string.h>

static bool
is(const char *text, const char *wanted)
{
	return strcmp(text, wanted) == 0;
}

enum port_sight
port_judge(bool ethernet, const char *state, const char *phys_state)
{
	if (is(state, "ACTIVE") && is(phys_state, "LinkUp"))
		return SIGHT_HEALTHY;
	if (ethernet)
		return is(state, "DOWN") ? SIGHT_FATAL : SIGHT_TRANSIENT;
	/* The link is training or recovering: it may yet come up by itself. */
	if (is(phys_state, "Polling") || is(phys_state, "LinkErrorRecovery"))
		return SIGHT_DEGRADED;
	return is(state, "DOWN") || is(phys_state, "Disabled") ? SIGHT_FATAL : SIGHT_DEGRADED;
}

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
	while (memory < PORT_MEMORY_N && !is(names[memory], name))
		memory++;
	return memory;
}

bool
port_is_reported(enum port_memory memory)
{
	return memory == PORT_DEGRADED || memory == PORT_FATAL;
}

struct step {
	enum port_memory next;
	enum port_action action;
};

/* Every cell is filled. A fatal report stands until the port is healthy again: a cable that makes the port change
 * between Disabled and Polling is one event, not one per change. */
static const struct step table[PORT_MEMORY_N][SIGHT_N] =
	{
		[PORT_NEW] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_NEW, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED_MUTE, PORT_NOTE_MUTED},
				[SIGHT_FATAL] = {PORT_FATAL_MUTE, PORT_NOTE_MUTED},
			},
		[PORT_NEW_SUSPECT] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_NEW, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_SAY_DEGRADED},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_SAY_FATAL},
			},
		[PORT_HEALTHY] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_NOTHING},
				[SIGHT_TRANSIENT] = {PORT_HEALTHY, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_SAY_DEGRADED},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_SAY_FATAL},
			},
		[PORT_DEGRADED] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_DEGRADED, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED, PORT_SAY_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_SAY_FATAL},
			},
		[PORT_FATAL] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_FATAL, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_FATAL, PORT_SAY_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_SAY_NOTHING},
			},
		[PORT_DEGRADED_MUTE] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_DEGRADED_MUTE, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_DEGRADED_MUTE, PORT_SAY_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL, PORT_SAY_FATAL},
			},
		[PORT_FATAL_MUTE] =
			{
				[SIGHT_HEALTHY] = {PORT_HEALTHY, PORT_SAY_HEALTHY},
				[SIGHT_TRANSIENT] = {PORT_FATAL_MUTE, PORT_SAY_NOTHING},
				[SIGHT_DEGRADED] = {PORT_FATAL_MUTE, PORT_SAY_NOTHING},
				[SIGHT_FATAL] = {PORT_FATAL_MUTE, PORT_SAY_NOTHING},
			},
};

enum port_action
port_step(enum port_memory *memory, enum port_sight sight)
{
	struct step step = table[*memory][sight];
	*memory = step.next;
	return step.action;
}
