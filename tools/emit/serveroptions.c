/* serveroptions - the options of a program that uses one server. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "serveroptions.h"

#include "array.h"
#include "diag.h"
#include "hostfiles.h"
#include "hostport.h"
#include "num.h"

#define NO_FILE "not a file's name"

static const struct opt_limits timeouts = {NUM_NS_PER_MS, 3600 * NUM_NS_PER_S,
	"not a duration such as 10s", "less than a millisecond", "more than an hour"};

static const char *
accept_server_name(void *target, const struct opt_given *given)
{
	((struct serveroptions *)target)->server_name = given->value;
	return hostport_is_host(given->value) ? NULL : HOSTPORT_NO_HOST;
}

const struct opt_spec serveroptions_table[SERVEROPTIONS_N] = {
	{"timeout", "DURATION", "how long to wait for each answer (10s)",
		OPT_DURATION(struct serveroptions, timeout_ns, &timeouts)},
	{"ca-file", "FILE", "CA certificates to verify the server, PEM",
		OPT_PATH(struct serveroptions, files.ca, NO_FILE)},
	{"cert-file", "FILE", "client certificate, PEM",
		OPT_PATH(struct serveroptions, files.cert, NO_FILE)},
	{"key-file", "FILE", "key of the client certificate, PEM",
		OPT_PATH(struct serveroptions, files.key, NO_FILE)},
	{"token-file", "FILE", "token, credentials of NATS, or password of PostgreSQL",
		OPT_PATH(struct serveroptions, files.token, NO_FILE)},
	{"server-name", "NAME", "name in the server's certificate (its host)",
		OPT_OTHER(accept_server_name)},
	{"clear-token", NULL, "send the token without TLS, too",
		OPT_FLAG(struct serveroptions, clear_token)},
};

const char *
serveroptions_check(const struct serveroptions *options, bool has_tls, bool is_local)
{
	return trust_check(
		&options->files, options->server_name, options->clear_token, has_tls, is_local);
}

int
serveroptions_check_files(const struct serveroptions *options)
{
	const char *reason = trust_check_files(&options->files);
	if (reason == NULL)
		return 0;
	diag_error("%s", reason);
	return EXIT_NO_PERMISSION;
}

void
serveroptions_allow(const struct serveroptions *options, struct confine *confine, const char *port)
{
	uint64_t number;
	const struct trust_files *files = &options->files;
	const char *const paths[] = {files->ca, files->cert, files->key, files->token};
	for (size_t i = 0; i < ARRAY_COUNT(paths); i++)
		confine_allow_beside(confine, paths[i], LANDLOCK_READ);
	hostfiles_allow(confine);
	if (port != NULL && num_parse_u64(port, UINT16_MAX, &number) == NUM_OK)
		confine_allow_connecting(confine, (uint16_t)number);
}
