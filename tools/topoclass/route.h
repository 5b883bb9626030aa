/* route - which interface carries the host's default route (spec#role-route): /proc/net/route and
 * /proc/net/ipv6_route. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ROUTE_H
#define TOPOCLASS_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

/* The interface of the up default route with the lowest metric in /proc/net/route's text
 * (net/ipv4/fib_trie.c). */
bool route_parse_ipv4(const char *text, char interface[IF_NAMESIZE]);

/* The same for /proc/net/ipv6_route (net/ipv6/route.c); routes that reject, and the loopback's, do
 * not count. */
bool route_parse_ipv6(const char *text, char interface[IF_NAMESIZE]);

/* Where the routes are. */
struct route_files {
	const char *ipv4, *ipv6; /* the files that somebody has named; NULL: look for them */
	/* Each may have `route` and `ipv6_route`; the first that has one of them is the node's, and
	 * no other counts, because in another network anybody may have chosen the names of
	 * interfaces. NULL ends the list. */
	const char *const *directories;
};

/* The places in a container that has its host's /proc, and on a node. The network of the first
 * process is the node's own, whichever network this process is in. Where the first process is
 * hidden, only the network of this one can be seen. */
extern const char *const route_default_directories[];

/* The interface of the IPv4 default route; of IPv6's only if there is none, because routers
 * announce IPv6 default routes on every port of a RoCE fabric. Files that cannot be read have no
 * routes. */
bool route_read(const struct route_files *files, char interface[IF_NAMESIZE]);

#endif
