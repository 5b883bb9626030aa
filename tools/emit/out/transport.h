/* transport - a descriptor that lines are written to, and what belongs to it: opened by its kind
 * (linesinks.c), closed here. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_TRANSPORT_H
#define EMIT_TRANSPORT_H

#include "sinkspec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum transport_status {
	TRANSPORT_READY,
	TRANSPORT_PENDING, /* not yet: wait and ask again */
	TRANSPORT_FAILED,  /* see `problem` */
};

struct filework;
struct resolver;

/* A sink's descriptor and what belongs to it. */
struct transport {
	const struct sink_spec *spec;
	int fd;                    /* -1: closed */
	struct filework *work;     /* a file's; NULL: it was not opened yet, or is none */
	struct resolver *resolver; /* a look-up of a host name under way */
	/* connections that failed after they had begun: the next address is tried then */
	unsigned late_failures;
	int untaken;               /* of a socket: see transport_is_drained() */
	uint64_t untaken_since_ns; /* since when that grows only, of CLOCK_MONOTONIC; 0: it is 0 */
	char problem[160];         /* why the latest call failed */
};

/* How a kind of sink gets bytes to where they go. */
struct transport_kind {
	/* Begins to open, or goes on with it. PENDING without a descriptor is a host name being
	 * looked up, or a disk that has not answered: ask again soon. PENDING with one is a
	 * connection being made, which is writable when that has ended. */
	enum transport_status (*open)(struct transport *transport);
	/* Writes what can be written without waiting for anybody. Returns the number of bytes, 0
	 * for none now, or -1 with `problem` filled. `bytes` is the rest of one line with its
	 * newline: the whole line, unless an earlier call returned less than `length`. */
	ssize_t (*write)(struct transport *transport, const char *bytes, size_t length);
	bool is_socket;
	bool ends_for_good;       /* what cannot be written to once cannot be opened again */
	const char *confirmation; /* what it means that the other side has taken everything */
};

/* How a connection attempt ended. */
enum transport_status transport_connected(struct transport *transport);

/* True when the other side has taken everything that was written, as far as the system can tell. */
bool transport_is_drained(const struct transport *transport);

/* True when the other system does not even answer to what is on its way to it over TCP: one whose
 * reader is slow says that it has no room. */
bool transport_is_cut_off(const struct transport *transport);

/* Looks at a descriptor that poll(2) reported: false, with `problem` filled, when the other side
 * has gone. */
bool transport_is_alive(struct transport *transport);

/* A new round of the loop begins. */
void transport_turn(struct transport *transport);

/* True while a disk has not answered: what was given to be written is to be given again, as it
 * was. */
bool transport_is_late(const struct transport *transport);

/* What to wait for: the descriptor, which `*events` is for; or, while a disk has not answered,
 * another, and `*events` becomes POLLIN. */
int transport_fd(const struct transport *transport, short *events);

/* Since when the other side takes nothing, of CLOCK_MONOTONIC; 0: it does, or there was nothing to
 * take. */
uint64_t transport_stuck_since_ns(struct transport *transport);

void transport_close(struct transport *transport);

/* --- for the kinds --- */

/* FAILED, with this reason; what was open is closed. */
enum transport_status transport_fail(struct transport *transport, const char *reason);

/* What a write that failed with this errno has written: 0 when it may be tried again, or -1 with
 * `problem` filled. */
ssize_t transport_failed_write(struct transport *transport, int error);

#endif
