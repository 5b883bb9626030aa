/* owner - becoming the user whose files they are. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OWNER_H
#define NHM_OWNER_H

#include <sys/stat.h>

/* Makes root, for good, the user and the group that something with this status belongs to, in no
 * other group, and able to search where only root can. 0, or -1 with errno. */
int owner_become(const struct stat *status);

#endif
