/* owner - switches from root to the user who owns a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "owner.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Keep CAP_DAC_READ_SEARCH, if permitted, and drop the rest: the directory may be below one that
 * only root can search, such as systemd's /var/lib/private. */
static int
keep_searching(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
	if (syscall(SYS_capget, &header, data) < 0)
		return -1;
	uint32_t search = data[0].permitted & (UINT32_C(1) << CAP_DAC_READ_SEARCH);
	memset(data, 0, sizeof data);
	data[0].permitted = data[0].effective = search;
	return (int)syscall(SYS_capset, &header, data);
}

int
owner_become(const struct stat *status)
{
	return prctl(PR_SET_KEEPCAPS, 1) == 0 && setgroups(0, NULL) == 0 &&
			       setgid(status->st_gid) == 0 && setuid(status->st_uid) == 0
		       ? keep_searching()
		       : -1;
}
