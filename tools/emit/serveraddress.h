/* serveraddress - where the events of a fleet are: in a stream of NATS JetStream, or a database of
 * PostgreSQL; and how its server is dialled. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SERVERADDRESS_H
#define EMIT_SERVERADDRESS_H

#include "out/natsaddress.h"
#include "out/natsdial.h"
#include "out/pgaddress.h"
#include "out/pgdial.h"
#include "serveroptions.h"

#include <stdbool.h>

struct serveraddress {
	const struct serveroptions *options;
	bool is_database;
	struct natsaddress stream;
	struct pgaddress database;
};

/* `options` are kept, and have to go with it. NULL, or why it will not do, or opt_no_memory;
 * serveraddress_fini() in both cases. */
const char *serveraddress_parse(
	struct serveraddress *out, const char *text, const struct serveroptions *options);

/* Says why the address that the command line has will not do, without the password in it, which is
 * gone afterwards. Returns the exit code. */
int serveraddress_refuse(char *text, const char *reason);

/* NULL: it has none. */
const char *serveraddress_port(const struct serveraddress *address);

/* How to dial it, valid as long as the address. `name`: of who does, which the server's lists
 * have. */
struct natsdial serveraddress_natsdial(const struct serveraddress *address, const char *name);
struct pgdial serveraddress_pgdial(const struct serveraddress *address, const char *name);

void serveraddress_fini(struct serveraddress *address);

#endif
