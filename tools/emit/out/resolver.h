/* resolver - looks up a host name in the background, so that a name server that does not answer
 * delays nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RESOLVER_H
#define EMIT_RESOLVER_H

#include <netdb.h>

struct resolver;

/* Start to look up a TCP service. Return NULL on failure. */
struct resolver *resolver_new(const char *host, const char *service);

/* Return 0 if the lookup is done, with the result in `*addresses`, borrowed; EAI_INPROGRESS while
 * it runs; otherwise an EAI_ error. */
int resolver_poll(struct resolver *resolver, const struct addrinfo **addresses);

/* Cancel the lookup and free it. If it cannot be cancelled, abandon it; not even the end of the
 * process waits for it. `resolver` may be NULL. */
void resolver_free(struct resolver *resolver);

#endif
