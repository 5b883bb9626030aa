/* transport - non-blocking connect and write for line sinks; reports how many bytes the peer has
 * accepted. The kinds (linesinks.c, journald.c) open it. */
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
	TRANSPORT_PENDING, /* not yet: call again */
	TRANSPORT_FAILED,  /* see `problem` */
};

struct filework;
struct resolver;

/* A sink's descriptor and its state. */
struct transport {
	const struct sink_spec *spec;
	int fd;                    /* -1: closed */
	struct filework *work;     /* of a file; NULL: not opened yet, or no file */
	struct resolver *resolver; /* running lookup of the host */
	/* Connections that failed after connect() returned: the next attempt uses the next
	 * address. */
	unsigned late_failures;
	uint64_t connecting_since_ns; /* since when a connection is pending, CLOCK_MONOTONIC */
	int untaken;                  /* unaccepted bytes of a socket, see transport_is_drained() */
	uint64_t untaken_since_ns;    /* since when that only grows, CLOCK_MONOTONIC; 0: none */
	char problem[160];            /* reason of the last failure */
};

/* How a kind of sink opens and writes. */
struct transport_kind {
	/* Open, or continue to. PENDING without a descriptor: a name lookup, or a disk that has not
	 * answered; call again soon. PENDING with one: a connection, which is writable when it is
	 * established or has failed. */
	enum transport_status (*open)(struct transport *transport);
	/* Write without blocking. Return the number of bytes, 0 if none can be written now, or -1
	 * with `problem`. `bytes` is the rest of one line with its newline: the whole line, unless
	 * an earlier call returned less than `length`. */
	ssize_t (*write)(struct transport *transport, const char *bytes, size_t length);
	bool is_socket;
	bool ends_for_good;       /* after a failed write it cannot be opened again */
	const char *confirmation; /* result when the other side has accepted everything */
};

/* Return how a connection attempt ended. */
enum transport_status transport_connected(struct transport *transport);

/* End a connection attempt that takes too long. Return TRANSPORT_FAILED. */
enum transport_status transport_stop_connecting(struct transport *transport);

/* Return true if the other side has accepted all bytes, as far as the system knows. */
bool transport_is_drained(const struct transport *transport);

/* Return true if the other system does not even acknowledge TCP segments. A system with a slow
 * reader does, and announces a full window. */
bool transport_is_cut_off(const struct transport *transport);

/* Check a descriptor that poll(2) reported. Return false with `problem` if the other side has
 * closed it. */
bool transport_is_alive(struct transport *transport);

/* Start a new round of the loop. */
void transport_turn(struct transport *transport);

/* Return true while a disk has not answered: repeat the write with the same bytes. */
bool transport_is_late(const struct transport *transport);

/* Return the descriptor to poll for `*events`. While a disk has not answered, return another one
 * and set `*events` to POLLIN. */
int transport_fd(const struct transport *transport, short *events);

/* Return since when the other side has accepted nothing, CLOCK_MONOTONIC; 0: it accepts, or nothing
 * was written. */
uint64_t transport_stuck_since_ns(struct transport *transport);

void transport_close(struct transport *transport);

/* --- for the kinds --- */

/* Close the descriptor, store the reason, and return TRANSPORT_FAILED. */
enum transport_status transport_fail(struct transport *transport, const char *reason);

/* Return what a failed write returns for `error`: 0 if it may be retried, or -1 with `problem`. */
ssize_t transport_failed_write(struct transport *transport, int error);

#endif
