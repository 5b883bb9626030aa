/* hostfiles - files and ports that a confined program needs for name lookups and TLS. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "hostfiles.h"

#include "array.h"
#include "diag.h"
#include "fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Files that the C library reads for name lookups. resolv.conf is often a link to a file that a
 * daemon replaces. */
static const char *const lookup_files[] = {
	"/etc/gai.conf",
	"/etc/host.conf",
	"/etc/hosts",
	"/etc/nsswitch.conf",
	"/etc/resolv.conf",
	"/etc/services",
	"/lib",
	"/usr/lib",
	"/usr/lib64",
};
static const char resolver_link[] = "/run/";

/* Default CA files and settings of TLS libraries: first Debian's, then those of Red Hat, whose
 * /etc/pki has private keys as well, and SUSE, which both have links to them in /etc/ssl. */
static const char *const trust_files[] = {
	"/etc/ssl",
	"/etc/ca-certificates",
	"/usr/lib/ssl",
	"/usr/local/share/ca-certificates",
	"/usr/share/ca-certificates",
	"/etc/crypto-policies",
	"/etc/pki/ca-trust",
	"/etc/pki/tls/cert.pem",
	"/etc/pki/tls/certs",
	"/etc/pki/tls/openssl.cnf",
	"/usr/share/crypto-policies",
	"/var/lib/ca-certificates",
};

/* Long responses of a name server come over TCP. */
#define PORT_OF_DNS 53

static void
allow_all(struct confine *confine, const char *const *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		confine_allow(confine, paths[i], LANDLOCK_READ);
}

/* Those of `lookup_files` that were reported, or refused before the process was confined. */
static bool is_known[ARRAY_COUNT(lookup_files)];

static bool
is_refused(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return errno == EACCES;
	fd_close(fd);
	return false;
}

void
hostfiles_report_replaced(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(lookup_files); i++) {
		if (is_known[i] || !is_refused(lookup_files[i]))
			continue;
		is_known[i] = true;
		diag_warn("%s was created or replaced after the start, and this confined process "
			  "cannot read it: restart it, or the service, to find hosts again",
			lookup_files[i]);
	}
}

/* Allow the directory below /run of the file to which resolv.conf leads, also if the file is still
 * to be created, as early in a boot: realpath() then leaves the path of what is missing. */
static void
allow_resolver(struct confine *confine)
{
	char real[PATH_MAX] = "";
	const size_t length = sizeof resolver_link - 1;
	bool is_there = realpath("/etc/resolv.conf", real) != NULL;
	if ((!is_there && errno != ENOENT) || strncmp(real, resolver_link, length) != 0)
		return;
	/* If its directory is missing, do not allow all of /run. */
	if (is_there || strchr(real + length, '/') != NULL)
		confine_allow_beside(confine, real, LANDLOCK_READ);
}

void
hostfiles_allow(struct confine *confine)
{
	for (size_t i = 0; i < ARRAY_COUNT(lookup_files); i++)
		is_known[i] = is_refused(lookup_files[i]);
	allow_all(confine, lookup_files, ARRAY_COUNT(lookup_files));
	allow_resolver(confine);
	confine_allow_connecting(confine, PORT_OF_DNS);
	allow_all(confine, trust_files, ARRAY_COUNT(trust_files));
	confine_allow(confine, getenv("SSL_CERT_FILE"), LANDLOCK_READ);
	confine_allow(confine, getenv("SSL_CERT_DIR"), LANDLOCK_READ);
}
