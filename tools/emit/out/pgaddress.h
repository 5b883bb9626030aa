/* pgaddress - where a database of PostgreSQL is: postgresql://USER@HOST[:PORT]/DATABASE, or
 * postgresql://USER@/DATABASE?host=DIRECTORY for the socket in a directory. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_PGADDRESS_H
#define EMIT_PGADDRESS_H

#include <stdbool.h>

struct pgaddress {
	char *host; /* or the directory */
	char *port;
	char *database, *user;
	bool is_local; /* on a socket of this machine */
	bool has_tls;  /* the server must be who its certificate says */
};

/* NULL, or why it will not do; pgaddress_fini() in both cases. */
const char *pgaddress_parse(struct pgaddress *out, const char *text);

void pgaddress_fini(struct pgaddress *address);

#endif
