/* port - when a port's state is an event: SPEC section 4.2, as pure functions and one table. */
#ifndef CTREVAL_PORT_H
#define CTREVAL_PORT_H

#include <stdbool.h>
#include <stddef.h>

/* What one reading of a port says. */
enum port_sight {
	SIGHT_HEALTHY,   /* ACTIVE and LinkUp */
	SIGHT_TRANSIENT, /* Ethernet on its way up or down: not reported */
	SIGHT_DEGRADED,  /* unhealthy, non-fatal */
	SIGHT_FATAL,
	SIGHT_N,
};

/* What has been said about a port so far. */
enum port_memory {
	PORT_NEW,         /* never judged */
	PORT_NEW_SUSPECT, /* the same, and its peers are evidence that it should be healthy; never stored */
	PORT_HEALTHY,
	PORT_DEGRADED,      /* reported as non-fatal */
	PORT_FATAL,         /* reported as fatal; stays so until the port is healthy */
	PORT_DEGRADED_MUTE, /* first seen so, and nobody's evidence that it ever was otherwise */
	PORT_FATAL_MUTE,
	PORT_MEMORY_N,
};

enum port_action {
	PORT_SAY_NOTHING,
	PORT_SAY_HEALTHY,
	PORT_SAY_DEGRADED,
	PORT_SAY_FATAL,
	PORT_NOTE_MUTED, /* one line on stderr, no event */
};

/* Judges one reading. `state` and `phys_state` are the names, not NULL. */
enum port_sight port_judge(bool ethernet, const char *state, const char *phys_state);

/* A memory's name in the state file, and back; PORT_MEMORY_N when the text is none. */
const char *port_memory_name(enum port_memory memory);
enum port_memory port_memory_find(const char *name);

/* True when an event about the port stands: it was reported, and not yet as healthy. */
bool port_is_reported(enum port_memory memory);

/* What to do about a sight, and what to remember. */
enum port_action port_step(enum port_memory *memory, enum port_sight sight);

#endif
