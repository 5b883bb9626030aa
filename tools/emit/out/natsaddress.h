/* natsaddress - where a stream of NATS JetStream is: nats://HOST[:PORT]/STREAM[/FABRIC], or tls://.
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSADDRESS_H
#define EMIT_NATSADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Longest name of a stream, and of a fabric, with the NUL. */
#define NATSADDRESS_WORD_SIZE 65

/* A subject of a stream is nic.FABRIC.NODE. */
struct natsaddress {
	char *url; /* nats://HOST:PORT, or tls:// */
	char *host, *port;
	char stream[NATSADDRESS_WORD_SIZE], fabric[NATSADDRESS_WORD_SIZE];
};

/* NULL, or why it will not do; natsaddress_fini() in both cases. */
const char *natsaddress_parse(struct natsaddress *out, const char *text);

bool natsaddress_has_tls(const struct natsaddress *address);

void natsaddress_fini(struct natsaddress *address);

#endif
