/* route - the interface of the host's default route (spec#role-route), from /proc/net/route and
 * /proc/net/ipv6_route. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOCLASS_ROUTE_H
#define TOPOCLASS_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

/* Parse /proc/net/route (net/ipv4/fib_trie.c): get the interface of the default route that is up
 * and has the lowest metric. Return false if there is none. */
bool route_parse_ipv4(const char *text, char interface[IF_NAMESIZE]);

/* The same for /proc/net/ipv6_route (net/ipv6/route.c). Ignores reject routes and those of the
 * loopback. */
bool route_parse_ipv6(const char *text, char interface[IF_NAMESIZE]);

/* Files with the routes. */
struct route_files {
	const char *ipv4, *ipv6; /* files named by options; NULL: search `directories` */
	/* Directories that may have `route` and `ipv6_route`; NULL ends the list. The first one
	 * with either file is used and no other, because interfaces of another network may have any
	 * names. */
	const char *const *directories;
};

/* Directories for a container with the host's /proc, and for the node itself. The network of
 * process 1 is the node's own, whichever network this process is in. If process 1 is hidden, use
 * this process's network. */
extern const char *const route_default_directories[];

/* The last default route that was found. */
struct route {
	char interface[IF_NAMESIZE]; /* "" before the first */
	bool is_ipv4;
};

/* Get the IPv4 default route, or the IPv6 one if there has never been one of IPv4: routers announce
 * IPv6 default routes on every port of a RoCE fabric. Unreadable files count as empty, since
 * neither shows that an interface has the route. Return false and leave `*route` if there is no
 * default route: its interface's name may then be another NIC's. */
bool route_read(const struct route_files *files, struct route *route);

#endif
