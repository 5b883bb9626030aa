/* descriptors - budget of descriptors that all devices together may keep open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "descriptors.h"

#include <limits.h>
#include <stdatomic.h>
#include <sys/resource.h>

/* Reserve for files that readers open only briefly, and for the rest of the program. */
#define SPARED 128

static atomic_long budget;

void
descriptors_init(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur <= SPARED)
		return;
	atomic_store(&budget, limit.rlim_cur > LONG_MAX ? LONG_MAX : (long)limit.rlim_cur - SPARED);
}

bool
descriptors_reserve(long count)
{
	if (atomic_fetch_sub(&budget, count) >= count)
		return true;
	atomic_fetch_add(&budget, count);
	return false;
}

void
descriptors_release(long count)
{
	atomic_fetch_add(&budget, count);
}
