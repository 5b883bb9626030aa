/* facts - what emit has to know of an event: how it is routed, found again, and what it says about a condition. Pure. */
#ifndef EMIT_FACTS_H
#define EMIT_FACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Longest text of each of the two that are put together here, bytes with the NUL; longer ones are cut. */
#define FACTS_TEXT_SIZE 1024

/* Strings are borrowed from the record; "" where it has none, or something else in its place. */
/* Longest name of a stream, bytes: with so long ones, and as many as are remembered, the acks file is not too long to be read. */
#define FACTS_SOURCE_MAX 128

struct facts {
	const char *id, *agent, *node, *check, *message, *action, *strategy;
	const char *source; /* "" also when it is too long */
	uint64_t
		seq; /* 0: none. Without source and seq an event cannot be recognised when it comes again. */
	bool fatal, healthy;
	uint64_t time_ns;          /* generatedTimestamp, nanoseconds since 1970; 0: none */
	const char *device, *port; /* the first entities NIC and NICPort */
	char about
		[FACTS_TEXT_SIZE];  /* all entities, `NIC=mlx5_0,NICPort=1`; "" : the whole check */
	char code[FACTS_TEXT_SIZE]; /* all of errorCode, `link_downed,saturated` */
};

void facts_read(struct facts *facts, const json_t *event);

/* Fatal and healthy events are sent at once (SPEC section 6). */
bool facts_are_urgent(const struct facts *facts);

#endif
