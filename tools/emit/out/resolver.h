/* resolver - a host name looked up in the background, so that a name server that does not answer
 * holds nobody up. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RESOLVER_H
#define EMIT_RESOLVER_H

#include <netdb.h>

struct resolver;

/* Starts looking up a TCP service. NULL when that is not possible. */
struct resolver *resolver_new(const char *host, const char *service);

/* 0 when it is done, and `*addresses` lends the result; EAI_INPROGRESS while it is not; otherwise
 * an EAI_ error. */
int resolver_poll(struct resolver *resolver, const struct addrinfo **addresses);

/* Ends the look-up; one that cannot be ended goes on by itself, and nobody waits for it, not even
 * the end of the process. NULL is allowed. */
void resolver_free(struct resolver *resolver);

#endif
