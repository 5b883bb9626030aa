/* peer - who is at the other end of a TCP connection, and which connection is dropped when there
 * are too many. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_PEER_H
#define SUPERVISOR_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct peer {
	bool is_local; /* both ends are on this machine: the address is a loopback one, or ours */
	bool is_gone;  /* it has closed its end, and reads no answer */
	/* Equal for those who are counted as one: the connections of one user of this machine,
	 * those of this machine whose user cannot be had, those of one IPv4 address elsewhere, or
	 * of one IPv6 network of 64 bits. */
	uint64_t owner;
};

/* Looks at the connection. The user of a local one is what the kernel's socket diagnosis says
 * (sock_diag(7)); where there is none, none is known. */
void peer_look(int fd, struct peer *out);

/* --- pure: which of too many connections has to go --- */

/* Connections of this machine, health probes say, that others never take the place of. */
#define PEER_LOCAL_KEPT 1

struct peer_member {
	bool is_open;
	bool is_local;        /* from this machine */
	bool is_gone;         /* nobody reads the answer */
	uint64_t owner;       /* equal for those who are counted as one: see struct peer */
	bool has_asked;       /* the head of its request has been read */
	bool has_sent;        /* there is something that was not read yet */
	bool is_new;          /* it has come so lately that it may be about to ask */
	uint64_t deadline_ns; /* the oldest has the first */
};

/* The number of the one that goes; `count` when none is open. It is one whose answer nobody reads,
 * if there is any; else one of the owner who has most of them, so that nobody can take the place of
 * who has few. Of these, the first kind that there is: one that has had its time and is silent; one
 * that has had its time and has sent something; a new one that is silent and not the only such one;
 * another new one; one that has asked. Of that kind it is the oldest. As long as no more
 * connections of this machine are open than are kept, and others are, none of these goes. */
size_t peer_choose(const struct peer_member *members, size_t count);

#endif
