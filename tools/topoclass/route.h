/* route - which interface carries the host's default route: /proc/net/route and /proc/net/ipv6_route. */
#ifndef TOPOCLASS_ROUTE_H
#define TOPOCLASS_ROUTE_H

#include <net/if.h>
#include <stdbool.h>

/* The interface of the up default route with the lowest metric in /proc/net/route's text (net/ipv4/fib_trie.c). */
bool route_parse_ipv4(const char *text, char interface[IF_NAMESIZE]);

/* The same for /proc/net/ipv6_route (net/ipv6/route.c); routes that reject, and the loopback's, are none. */
bool route_parse_ipv6(const char *text, char interface[IF_NAMESIZE]);

/* The IPv4 default route's interface, and only without one IPv6's: routers announce IPv6 default routes on every port
 * of a RoCE fabric. Files that cannot be read have no routes. Either path may be NULL. */
bool route_read(const char *ipv4_path, const char *ipv6_path, char interface[IF_NAMESIZE]);

#endif
