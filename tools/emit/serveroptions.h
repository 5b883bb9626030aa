/* serveroptions - the options of a program that uses one server: timeout, trusted authorities,
 * credentials. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SERVEROPTIONS_H
#define EMIT_SERVEROPTIONS_H

#include "confine.h"
#include "opt.h"
#include "out/token.h"

struct serveroptions {
	uint64_t timeout_ns;
	struct trust_files files;
	const char *server_name; /* in the server's certificate; NULL: its host */
	bool clear_token;
};

/* Rows for OPT_TABLE(). */
extern const struct opt_spec serveroptions_table[];
#define SERVEROPTIONS_N 7

#define SERVEROPTIONS_DEFAULT \
	{ \
		.timeout_ns = 10 * NUM_NS_PER_S \
	}

/* Check that the options are consistent. Return NULL, or the reason why not. See trust_check(). */
const char *serveroptions_check(const struct serveroptions *options, bool has_tls, bool is_local);

/* Check that nobody else could have changed the files. Return 0, or the exit code after reporting
 * it. */
int serveroptions_check_files(const struct serveroptions *options);

/* Let a confined program keep its files, which others replace, name lookups, and connecting to the
 * server's port; NULL: no port. */
void serveroptions_allow(
	const struct serveroptions *options, struct confine *confine, const char *port);

#endif
