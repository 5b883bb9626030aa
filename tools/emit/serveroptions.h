/* serveroptions - the options of a program that uses one server: how long it may take, whom to
 * trust, and who we are. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_SERVEROPTIONS_H
#define EMIT_SERVEROPTIONS_H

#include "confine.h"
#include "opt.h"
#include "out/token.h"

struct serveroptions {
	uint64_t timeout_ns;
	struct trust_files files;
	const char *server_name; /* in its certificate; NULL: its host */
	bool clear_token;
};

/* For OPT_TABLE(). */
extern const struct opt_spec serveroptions_table[];
#define SERVEROPTIONS_N 7

#define SERVEROPTIONS_DEFAULT \
	{ \
		.timeout_ns = 10 * NUM_NS_PER_S \
	}

/* Whether what they say goes together, and the files may be used: NULL, or why not, which is valid
 * until the next call. See trust_check(). */
const char *serveroptions_check(const struct serveroptions *options, bool has_tls, bool is_local);

/* Lets the program go on using the files, which others replace, looking up names, and connecting to
 * the server's port; NULL: it has none. */
void serveroptions_allow(
	const struct serveroptions *options, struct confine *confine, const char *port);

#endif
