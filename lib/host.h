/* host - what this machine is called in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HOST_H
#define NHM_HOST_H

/* $NODE_NAME, unless it is unset or empty, else the host name. Belongs to the process and stays as
 * it is. */
const char *host_node_name(void);

/* Says that a name is too long for records, which nobody would accept then; it can be so when it is
 * that of host_node_name(). 0, or an exit code. */
int host_check_node_name(const char *name);

#endif
