/* confined - what emit keeps when it gives up all that it does not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confined.h"

#include "num.h"
#include "out/sinkspec.h"
#include "out/transport.h"

#include <stdlib.h>
#include <string.h>

/* What look-ups of names read, by the C library. resolv.conf is often a link to what a daemon
 * replaces. */
static const char *const lookup_files[] = {
	"/etc/gai.conf",
	"/etc/host.conf",
	"/etc/hosts",
	"/etc/nsswitch.conf",
	"/etc/resolv.conf",
	"/etc/services",
	"/lib",
	"/usr/lib",
};
static const char resolver_link[] = "/run/";

/* Whom TLS trusts by default. */
static const char *const trust_files[] = {
	"/etc/ssl",
	"/etc/ca-certificates",
	"/usr/lib/ssl",
	"/usr/local/share/ca-certificates",
	"/usr/share/ca-certificates",
};

/* Names are asked for over TCP when an answer is long. */
#define PORT_OF_DNS 53

static void
allow_all(struct confine *confine, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		confine_allow(confine, paths[i], LANDLOCK_READ);
}

static void
allow_hosts(struct confine *confine)
{
	allow_all(confine, lookup_files, sizeof lookup_files / sizeof *lookup_files);
	char *real = realpath("/etc/resolv.conf", NULL);
	if (real != NULL && strncmp(real, resolver_link, sizeof resolver_link - 1) == 0)
		confine_allow_beside(confine, real, LANDLOCK_READ);
	free(real);
	confine_allow_connecting(confine, PORT_OF_DNS);
	allow_all(confine, trust_files, sizeof trust_files / sizeof *trust_files);
	confine_allow(confine, getenv("SSL_CERT_FILE"), LANDLOCK_READ);
	confine_allow(confine, getenv("SSL_CERT_DIR"), LANDLOCK_READ);
}

/* What others may replace is found by its directory. Whether it is a host's. */
static bool
allow_sink(struct confine *confine, const struct sink_spec *spec)
{
	uint64_t port;
	const char *const replaced[] = {
		spec->files.ca, spec->files.cert, spec->files.key, spec->files.token};
	for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
		confine_allow_beside(confine, replaced[i], LANDLOCK_READ);
	if (spec->host == NULL) {
		/* To connect to a socket needs no right to its directory. */
		bool is_file = spec->kind->transport != NULL && !spec->kind->transport->is_socket;
		confine_allow_beside(confine, is_file ? spec->path : NULL, LANDLOCK_KEEP);
		return false;
	}
	if (spec->service != NULL && num_parse_u64(spec->service, UINT16_MAX, &port) == NUM_OK)
		confine_allow_connecting(confine, (uint16_t)port);
	return true;
}

int
confined_enter(const char *program, const struct run_options *options, const char *spool_path,
	char *const *inputs)
{
	struct confine confine;
	confine_init(&confine, program, options->confine);
	confine_allow_beside(&confine, spool_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->journal.acks_path, LANDLOCK_KEEP);
	confine_allow(&confine, options->journal.boot_id_path, LANDLOCK_READ);
	bool has_host = false;
	for (size_t i = 0; i < options->spec_count; i++)
		has_host |= allow_sink(&confine, &options->specs[i]);
	if (has_host)
		allow_hosts(&confine);
	for (; *inputs != NULL; inputs++)
		confine_allow(&confine, *inputs, LANDLOCK_READ);
	return confine_enter(&confine);
}
