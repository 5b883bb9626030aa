/* hostport - parses HOST:PORT. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HOSTPORT_H
#define NHM_HOSTPORT_H

#include <stdbool.h>
#include <stddef.h>

/* Parse HOST:PORT in the first `bytes` of `address`. An IPv6 address is in brackets, which are not
 * part of `*host`. `*host` and `*port` must be NULL before the call; the caller frees them, also
 * after a failure. Return NULL, or the reason to reject the address. */
const char *hostport_parse(const char *address, size_t bytes, char **host, char **port);

/* Message for an invalid host name. */
#define HOSTPORT_NO_HOST "not a valid host name"

/* Return true if `name` can be a host name in a certificate. */
bool hostport_is_host(const char *name);

#endif
