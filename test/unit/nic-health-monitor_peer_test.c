/* Unit tests of the supervisor's peer: the owner of the other end of a connection. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/peer.h"

#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

/* A connection, and its two ends. */
struct pair {
	int client, server;
};

/* Connect over loopback: with `family` AF_INET by IPv4, with AF_INET6 by IPv6, and with 0 from an
 * IPv4 client to an IPv6 server. */
static struct pair
connected(int family)
{
	struct sockaddr_in6 newer = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in old = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof newer;
	static const int off = 0;
	struct pair pair;
	int listener = socket(family == AF_INET ? AF_INET : AF_INET6, SOCK_STREAM, 0);
	if (family == 0)
		newer.sin6_addr = (struct in6_addr)IN6ADDR_ANY_INIT;
	setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	const void *address = family == AF_INET ? (const void *)&old : &newer;
	CHECK_INT(bind(listener, address, family == AF_INET ? sizeof old : sizeof newer), 0);
	CHECK_INT(listen(listener, 1), 0);
	CHECK_INT(getsockname(listener, family == AF_INET ? (void *)&old : &newer, &size), 0);
	if (family == 0)
		old.sin_port = newer.sin6_port;
	pair.client = socket(family == AF_INET6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0);
	address = family == AF_INET6 ? (const void *)&newer : &old;
	CHECK_INT(connect(pair.client, address, family == AF_INET6 ? sizeof newer : sizeof old), 0);
	pair.server = accept(listener, NULL, NULL);
	CHECK(pair.server >= 0);
	close(listener);
	return pair;
}

static void
users(void)
{
	static const int families[] = {AF_INET, AF_INET6, 0};
	for (size_t i = 0; i < CHECK_COUNT(families); i++) {
		struct pair pair = connected(families[i]);
		struct peer peer;
		check_row("family %d", families[i]);
		peer_identify(pair.server, &peer);
		CHECK(peer.is_local);
		CHECK(!peer.is_gone);
		CHECK_U64(peer.owner, getuid());
		close(pair.client);
		/* Then its data belongs to the kernel: it has no owner, and is not root's. */
		peer_identify(pair.server, &peer);
		CHECK(peer.is_gone);
		CHECK(peer.owner > UINT32_MAX);
		close(pair.server);
	}
}

/* A socket belongs to its creator. Only root can switch users; other users see themselves as the
 * owner. */
static void
other_user(void)
{
	struct pair pair = {-1, -1};
	struct peer peer;
	uid_t uid = getuid(), other = uid == 0 ? 65534 : uid;
	CHECK_INT(seteuid(other), 0);
	pair = connected(AF_INET);
	CHECK_INT(seteuid(uid), 0);
	peer_identify(pair.server, &peer);
	CHECK_U64(peer.owner, other);
	close(pair.client);
	close(pair.server);
}

static void
nobody(void)
{
	struct peer peer;
	int pair[2];
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	peer_identify(pair[0], &peer);
	CHECK(!peer.is_local);
	CHECK(!peer.is_gone);
	CHECK(peer.owner > UINT32_MAX);
	close(pair[0]);
	close(pair[1]);
}

static const struct check_test tests[] = {
	{"a connection from this machine belongs to its user, or to nobody once it is closed",
		users},
	{"a connection belongs to the user who created it", other_user},
	{"any other kind of connection belongs to nobody", nobody},
};
CHECK_MAIN(tests)
