/* verbsdriver - which drivers let a device go while a process has it open. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBSDRIVER_H
#define IBEVENT_VERBSDRIVER_H

#include <stdbool.h>

/* True for the name of a device's driver in sysfs when its RDMA driver disassociates
 * (kernel#open-context). */
bool verbsdriver_lets_go(const char *driver);

#endif
