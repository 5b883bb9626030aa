/* pgaddress - parses the address of a PostgreSQL database: postgresql://USER@HOST[:PORT]/DATABASE,
 * or postgresql://USER@/DATABASE?host=DIRECTORY for a Unix socket in a directory. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGADDRESS_H
#define EMIT_PGADDRESS_H

#include <stdbool.h>

struct pgaddress {
	char *host; /* or the directory of the socket */
	char *port;
	char *database, *user;
	bool is_local; /* a Unix socket */
	bool has_tls;  /* verify the name in the server's certificate */
};

/* Parse `text`. Return NULL or the reason why it is invalid. Call pgaddress_fini() in both
 * cases. */
const char *pgaddress_parse(struct pgaddress *out, const char *text);

void pgaddress_fini(struct pgaddress *address);

#endif
