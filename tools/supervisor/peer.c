/* peer - identifies the peer of a TCP connection, and selects the connection to drop when too many
 * are open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Owner of local connections whose user is unknown; a uid has only 32 bits. */
#define OWNER_UNKNOWN ((uint64_t)1 << 32)

/* One end of a connection. */
struct end {
	struct in6_addr address; /* IPv4 addresses as ::ffff:a.b.c.d */
	in_port_t port;          /* in network byte order */
};

/* Request and reply of the kernel's socket diagnosis. */
struct question {
	struct nlmsghdr header;
	struct inet_diag_req_v2 request;
};
struct reply {
	struct nlmsghdr header;
	struct inet_diag_msg message;
	char attributes[1024];
};

/* --- addresses --- */

/* Return false if the address is neither IPv6 nor IPv4. */
static bool
parse_end(const struct sockaddr_storage *from, struct end *out)
{
	if (from->ss_family == AF_INET6) {
		const struct sockaddr_in6 *newer = (const struct sockaddr_in6 *)from;
		*out = (struct end){newer->sin6_addr, newer->sin6_port};
	} else if (from->ss_family == AF_INET) {
		const struct sockaddr_in *old = (const struct sockaddr_in *)from;
		*out = (struct end){
			.port = old->sin_port, .address = {.s6_addr = {[10] = 0xff, [11] = 0xff}}};
		memcpy(out->address.s6_addr + 12, &old->sin_addr, 4);
	} else {
		return false;
	}
	return true;
}

static bool
find_ends(int fd, struct end *here, struct end *there)
{
	struct sockaddr_storage ours = {.ss_family = AF_UNSPEC}, theirs = ours;
	socklen_t our_size = sizeof ours, their_size = sizeof theirs;
	return getsockname(fd, (struct sockaddr *)&ours, &our_size) == 0 &&
	       getpeername(fd, (struct sockaddr *)&theirs, &their_size) == 0 &&
	       parse_end(&ours, here) && parse_end(&theirs, there);
}

static bool
are_on_one_machine(const struct end *here, const struct end *there)
{
	const struct in6_addr *address = &there->address;
	return IN6_IS_ADDR_LOOPBACK(address) ||
	       (IN6_IS_ADDR_V4MAPPED(address) && address->s6_addr[12] == 127) ||
	       memcmp(&here->address, address, sizeof *address) == 0;
}

/* Return the owner for a remote address. It equals no uid and not OWNER_UNKNOWN. */
static uint64_t
owner_of_address(const struct in6_addr *address)
{
	uint64_t number = 0;
	size_t first = IN6_IS_ADDR_V4MAPPED(address) ? 8 : 0;
	for (size_t i = 0; i < 8; i++)
		number = number << 8 | address->s6_addr[first + i];
	return number;
}

/* --- users --- */

static void
put_address(const struct end *end, bool as_ipv6, __be32 out[4])
{
	memset(out, 0, 16);
	if (as_ipv6)
		memcpy(out, &end->address, 16);
	else
		memcpy(out, end->address.s6_addr + 12, 4);
}

/* Build the request for the socket from `from` to `to`. A client that connects by IPv4 to an IPv6
 * socket has an IPv4 socket. */
static struct question
ask_for(const struct end *from, const struct end *to)
{
	bool as_ipv6 = !IN6_IS_ADDR_V4MAPPED(&from->address);
	struct question question = {
		.header = {.nlmsg_len = sizeof question,
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST},
		.request = {.sdiag_family = as_ipv6 ? AF_INET6 : AF_INET,
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = ~0U,
			.id = {.idiag_sport = from->port,
				.idiag_dport = to->port,
				.idiag_cookie = {INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE}}},
	};
	put_address(from, as_ipv6, question.request.id.idiag_src);
	put_address(to, as_ipv6, question.request.id.idiag_dst);
	return question;
}

/* Send the request and read the reply, which is ready as soon as send() returns. Return false if
 * the kernel does not know the socket or the request fails. */
static bool
exchange(const struct question *question, struct reply *reply)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	if (fd < 0)
		return false;
	ssize_t length = -1;
	if (send(fd, question, sizeof *question, MSG_DONTWAIT) == sizeof *question)
		length = recv(fd, reply, sizeof *reply, MSG_DONTWAIT);
	close(fd);
	return length >= (ssize_t)(sizeof reply->header + sizeof reply->message) &&
	       reply->header.nlmsg_type == SOCK_DIAG_BY_FAMILY;
}

static void
find_user(const struct end *here, const struct end *there, struct peer *out)
{
	struct question question = ask_for(there, here);
	struct reply reply;
	out->owner = OWNER_UNKNOWN;
	if (!exchange(&question, &reply))
		return;
	/* The kernel reports root as the owner of a closed socket, so its uid says nothing. */
	out->is_gone = reply.message.idiag_inode == 0;
	if (!out->is_gone)
		out->owner = reply.message.idiag_uid;
}

void
peer_identify(int fd, struct peer *out)
{
	struct end here, there;
	*out = (struct peer){.owner = OWNER_UNKNOWN};
	if (!find_ends(fd, &here, &there))
		return;
	out->is_local = are_on_one_machine(&here, &there);
	if (out->is_local)
		find_user(&here, &there, out);
	else
		out->owner = owner_of_address(&there.address);
}

/* --- pure: selecting the connection to drop --- */

static bool
is_fresh(const struct peer_member *member)
{
	return member->is_open && member->is_new && !member->has_sent && !member->has_asked;
}

/* Rank a connection; the lowest rank is dropped first. A new one that is silent ranks like one that
 * has sent bytes if it is the only such one: its request is on its way. */
static unsigned
worth(const struct peer_member *member, size_t fresh)
{
	if (member->has_asked)
		return 4;
	return (member->is_new ? 2u : 0u) +
	       (member->has_sent || (is_fresh(member) && fresh == 1) ? 1u : 0u);
}

/* Return the number of open connections of the owner of connection `of`. */
static size_t
share(const struct peer_member *members, size_t count, size_t of)
{
	size_t open = 0;
	for (size_t i = 0; i < count; i++)
		open += members[i].is_open && members[i].owner == members[of].owner;
	return open;
}

/* A connection that may be dropped. */
struct candidate {
	size_t number, share;
	unsigned worth;
	uint64_t deadline_ns;
};

/* Return true if `a` is dropped before `b`. */
static bool
goes_before(const struct candidate *a, const struct candidate *b)
{
	if (a->share != b->share)
		return a->share > b->share;
	if (a->worth != b->worth)
		return a->worth < b->worth;
	return a->deadline_ns < b->deadline_ns;
}

size_t
peer_choose(const struct peer_member *members, size_t count)
{
	size_t locals = 0, open = 0, fresh = 0;
	for (size_t i = 0; i < count; i++) {
		open += members[i].is_open;
		locals += members[i].is_open && members[i].is_local;
		fresh += is_fresh(&members[i]);
	}
	bool spares_locals = locals <= PEER_LOCAL_KEPT && open > locals;
	struct candidate chosen = {.number = count};
	for (size_t i = 0; i < count; i++) {
		const struct peer_member *member = &members[i];
		if (!member->is_open)
			continue;
		if (member->is_gone)
			return i;
		if (spares_locals && member->is_local)
			continue;
		const struct candidate here = {.number = i,
			.share = share(members, count, i),
			.worth = worth(member, fresh),
			.deadline_ns = member->deadline_ns};
		if (chosen.number == count || goes_before(&here, &chosen))
			chosen = here;
	}
	return chosen.number;
}
