/* host - what this machine is called in records. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_HOST_H
#define NHM_HOST_H

/* $NODE_NAME, unless it is unset or empty, else the host name. Belongs to the process and stays as
 * it is. */
const char *host_node_name(void);

#endif
