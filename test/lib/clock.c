/* clock - preloaded library: the clock is two hours slow until the file $NHM_CLOCK exists. */
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
