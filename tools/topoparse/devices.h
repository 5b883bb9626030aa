/* devices - do the devices that the matrix names exist? */
#ifndef TOPOPARSE_DEVICES_H
#define TOPOPARSE_DEVICES_H

#include "topo.h"

/* Warns of each device that is not in class/infiniband below `root`, a directory that stands for /sys, and when that cannot be listed. */
void devices_check(const struct topo *topo, int root, const char *root_name);

#endif
