/* nssmodule - a module for name lookups that, like libcap when nss-mymachines loads it, asks which
 * capabilities the kernel knows. It finds no host. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/capability.h>
#include <netdb.h>
#include <nss.h>
#include <stdint.h>
#include <sys/prctl.h>

struct gaih_addrtuple;

__attribute__((constructor)) static void
begin(void)
{
	prctl(PR_CAPBSET_READ, CAP_CHOWN);
}

enum nss_status
_nss_probe_gethostbyname4_r(const char *name, struct gaih_addrtuple **tuples, char *buffer,
	size_t size, int *error, int *host_error, int32_t *ttl)
{
	(void)name, (void)tuples, (void)buffer, (void)size, (void)error, (void)ttl;
	*host_error = HOST_NOT_FOUND;
	return NSS_STATUS_NOTFOUND;
}
