/* hostport - HOST:PORT, as addresses have it. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HOSTPORT_H
#define NHM_HOSTPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads HOST:PORT in the `bytes` at `address`, where an IPv6 address stands in brackets, which
 * `*host` is without. Both are to be NULL before; what they are set to is from malloc, and the
 * caller's, also when it fails. NULL, or why it will not do. */
const char *hostport_parse(const char *address, size_t bytes, char **host, char **port);

/* Why what is no name of a host will not do. */
#define HOSTPORT_NO_HOST "not the name of a host"

/* True for what may stand as the name of a host in a certificate. */
bool hostport_is_host(const char *name);

#endif
