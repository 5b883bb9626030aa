/* clock - a library to be preloaded: the clock is two hours behind until the file $NHM_CLOCK is
 * there, which sets it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *out)
{
	const char *path = getenv("NHM_CLOCK");
	int status = (int)syscall(SYS_clock_gettime, id, out);
	if (status == 0 && id == CLOCK_REALTIME && path != NULL && access(path, F_OK) != 0)
		out->tv_sec -= 7200;
	return status;
}
