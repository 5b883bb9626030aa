/* serveraddress - the address of a fleet's events, a NATS JetStream stream or a PostgreSQL
 * database, and how to connect to it. */
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

/* Parse `text`; `options` are kept and must be consistent with it. Return NULL, the reason of an
 * error, or opt_no_memory. Call serveraddress_fini() in all cases. */
const char *serveraddress_parse(
	struct serveraddress *out, const char *text, const struct serveroptions *options);

/* Report why the address on the command line is invalid, and erase the password in it. Return the
 * exit code. */
int serveraddress_refuse(char *text, const char *reason);

/* Return the TCP port; NULL: none. */
const char *serveraddress_port(const struct serveraddress *address);

/* Return the parameters of a connection, valid as long as the address. `name`: client name in the
 * server's lists. */
struct natsdial serveraddress_natsdial(const struct serveraddress *address, const char *name);
struct pgdial serveraddress_pgdial(const struct serveraddress *address, const char *name);

void serveraddress_fini(struct serveraddress *address);

#endif
