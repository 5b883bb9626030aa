/* host - the node's name in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HOST_H
#define NHM_HOST_H

#include "opt.h"

/* Return $NODE_NAME, or the host name if it is unset or empty. The string belongs to the process
 * and stays valid. */
const char *host_node_name(void);

/* Limits of an option that gives the name. */
extern const struct opt_limits host_name_limits;

/* Report a name that is too long for records, which readers would reject; host_node_name() may
 * return one. Return 0, or the exit code. */
int host_check_node_name(const char *name);

#endif
