/* natsaddress - parses the address of a NATS JetStream stream: nats://HOST[:PORT]/STREAM[/FABRIC],
 * or tls://. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_NATSADDRESS_H
#define EMIT_NATSADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Size of the name of a stream or fabric, with the NUL. */
#define NATSADDRESS_WORD_SIZE 65

/* Subjects in a stream are nic.FABRIC.NODE. */
struct natsaddress {
	char *url; /* nats://HOST:PORT, or tls:// */
	char *host, *port;
	char stream[NATSADDRESS_WORD_SIZE], fabric[NATSADDRESS_WORD_SIZE];
};

/* Parse `text`. Return NULL or the reason why it is invalid. Call natsaddress_fini() in both
 * cases. */
const char *natsaddress_parse(struct natsaddress *out, const char *text);

bool natsaddress_has_tls(const struct natsaddress *address);

void natsaddress_fini(struct natsaddress *address);

#endif
