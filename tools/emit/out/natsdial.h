/* natsdial - connects to NATS servers by libnats. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSDIAL_H
#define EMIT_NATSDIAL_H

#include "natslib.h"
#include "token.h"

#include <stdbool.h>
#include <stdint.h>

/* All pointers are kept, not copied. */
struct natsdial {
	const char *url; /* nats://HOST:PORT, or tls:// */
	const char *host;
	const char *server_name; /* in the server's certificate; NULL: `host` */
	/* the token file may be a credentials file of nsc(1) */
	const struct trust_files *files;
	const char *name;    /* client name in the server's lists */
	uint64_t timeout_ms; /* for connecting */
	uint64_t ping_ms;    /* interval of pings on an idle connection; 0: default of libnats */
};

/* Connect. libnats does not reconnect: after a loss the caller connects again. `problem` is set if
 * the credential files are unusable; else "". */
natsStatus natsdial_connect(
	natsConnection **out, const struct natsdial *dial, char problem[TRUST_PROBLEM_SIZE]);

/* End libnats; all connections must have been destroyed. Return false if its threads are still
 * running: then end the process by _exit(), because exit() frees what they use. */
bool natsdial_end(void);

/* Return the last error of this thread; if it is a timeout, the right that the server has refused
 * on the connection, if any. `connection` may be NULL. Valid until the next call of libnats. */
const char *natsdial_words(natsConnection *connection, natsStatus status);

#endif
