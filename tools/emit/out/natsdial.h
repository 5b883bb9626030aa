/* natsdial - connections to servers of NATS, by libnats. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSDIAL_H
#define EMIT_NATSDIAL_H

#include "natslib.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* All of it is kept, not copied. */
struct natsdial {
	const char *url; /* nats://HOST:PORT, or tls:// */
	const char *host;
	const char *server_name; /* in the server's certificate; NULL: `host` */
	/* the token may be a file of credentials, as nsc(1) makes them */
	const struct trust_files *files;
	const char *name;    /* which the server's lists have */
	uint64_t timeout_ms; /* for a connection */
	uint64_t ping_ms;    /* a server that says nothing is asked so often; 0: as libnats does */
};

/* A connection that is lost is lost: whoever had it dials again. What the files' owners could have
 * wrong becomes `problem`, "": nothing. */
natsStatus natsdial_connect(
	natsConnection **out, const struct natsdial *dial, char problem[TRUST_PROBLEM_SIZE]);

/* All connections have been destroyed: ends libnats. False when threads of it are still at work:
 * the process is to end by _exit(), since exit() takes away what they use. */
bool natsdial_end(void);

/* What went wrong in this thread last. Valid until the next call of libnats. */
const char *natsdial_words(natsStatus status);

#endif
