/* verbsdriver - which drivers can remove a device while a process has it open. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBSDRIVER_H
#define IBEVENT_VERBSDRIVER_H

#include <stdbool.h>

/* Return true if the RDMA driver of a device can disassociate open contexts (kernel#open-context).
 * `driver` is the name of the device's driver in sysfs. */
bool verbsdriver_lets_go(const char *driver);

#endif
