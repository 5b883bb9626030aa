/* hostfiles - what a confined program needs to find hosts by their names, and to trust them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostfiles.h"

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

void
hostfiles_allow(struct confine *confine)
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
