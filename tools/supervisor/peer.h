/* peer - identifies the peer of a TCP connection, and selects the connection to drop when too many
 * are open. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PEER_H
#define SUPERVISOR_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer {
	bool is_local; /* both ends are on this machine: its address is loopback or equals ours */
	bool is_gone;  /* it has closed its end and reads no response */
	/* Equal owners share one quota: the connections of one user of this machine, those of all
	 * its users that are unknown, those of one remote IPv4 address, or of one remote IPv6 /64
	 * network. */
	uint64_t owner;
};

/* Identify the peer of a connection. The kernel's socket diagnosis (sock_diag(7)) names the user of
 * a local one; without it, the user is unknown. */
void peer_identify(int fd, struct peer *out);

/* --- pure: selecting the connection to drop --- */

/* So many local connections, such as health probes, are never dropped for remote ones. */
#define PEER_LOCAL_KEPT 1

struct peer_member {
	bool is_open;
	bool is_local;        /* from this machine */
	bool is_gone;         /* the peer reads no response */
	uint64_t owner;       /* see struct peer */
	bool has_asked;       /* the head of its request was read */
	bool has_sent;        /* it has sent bytes that were not read yet */
	bool is_new;          /* so recent that its request may still arrive */
	uint64_t deadline_ns; /* earliest for the oldest connection */
};

/* Return the index of the connection to drop; `count` if none is open. A connection whose peer is
 * gone goes first. Otherwise it is one of the owner with the most connections, so that no owner can
 * displace one with few. Of these, the order is: not new and silent; not new, has sent bytes; new
 * and silent, unless it is the only such one; any other new one; one whose request was read. Among
 * equals, the oldest goes. While no more than PEER_LOCAL_KEPT local connections and any remote ones
 * are open, local ones whose peer is not gone stay. */
size_t peer_choose(const struct peer_member *members, size_t count);

#endif
