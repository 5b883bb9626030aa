/* fd - closes descriptors without changing errno. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "fd.h"

#include <errno.h>
#include <unistd.h>

void
fd_close(int fd)
{
	int saved_errno = errno;
	if (fd >= 0)
		close(fd);
	errno = saved_errno;
}
