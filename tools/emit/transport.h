/* transport - bytes to a sink: opening, writing, and how much of it has arrived. One set of calls for all kinds. */
#ifndef EMIT_TRANSPORT_H
#define EMIT_TRANSPORT_H

#include "sinkspec.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum transport_status {
	TRANSPORT_READY,
	TRANSPORT_PENDING, /* not yet: wait and ask again */
	TRANSPORT_FAILED,  /* see `problem` */
};

struct resolver;

/* A sink's descriptor and what belongs to it. */
struct transport {
	const struct sink_spec *spec;
	int fd;                    /* -1: closed */
	struct resolver *resolver; /* a look-up of a host name under way */
	unsigned
		late_failures; /* connections that failed after they had begun: the next address is tried then */
	char problem[160]; /* why the latest call failed */
};

void transport_init(struct transport *transport, const struct sink_spec *spec);

/* Begins to open, or goes on with it. PENDING without a descriptor is a host name being looked up: ask again soon.
 * PENDING with one is a connection being made: wait until it is writable, then call transport_connected(). */
enum transport_status transport_open(struct transport *transport);

/* How a connection attempt ended. */
enum transport_status transport_connected(struct transport *transport);

/* Writes what can be written without waiting for anybody. Returns the number of bytes, 0 for none now, or -1 with
 * `problem` filled. */
ssize_t transport_write(struct transport *transport, const char *bytes, size_t length);

/* True when the other side has taken everything that was written, as far as the system can tell. */
bool transport_is_drained(const struct transport *transport);

/* Looks at a descriptor that poll(2) reported: false, with `problem` filled, when the other side has gone. */
bool transport_is_alive(struct transport *transport);

/* True when the place is to be opened anew before more is written: a log file was rotated away. */
bool transport_is_stale(const struct transport *transport);

void transport_close(struct transport *transport);

#endif
