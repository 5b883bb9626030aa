/* owner - switches from root to the user who owns a file. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OWNER_H
#define NHM_OWNER_H

#include <sys/stat.h>

/* Switch from root, for good, to the user and group in `status`, with no other group. Keep only
 * CAP_DAC_READ_SEARCH, if root had it. Return 0, or -1 with errno. */
int owner_become(const struct stat *status);

#endif
