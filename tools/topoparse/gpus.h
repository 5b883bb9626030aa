/* gpus - adds what `nvidia-smi --query-gpu=index,uuid,serial,pci.bus_id --format=csv` prints to the
 * GPUs of the matrix. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_GPUS_H
#define TOPOPARSE_GPUS_H

#include "topo.h"

/* Add UUID, serial number and PCI address from the CSV text to the GPUs of `topo`. Each GPU must be
 * in both, and in the CSV once; otherwise the two are from different moments or machines. */
enum topo_status gpus_join(
	const char *text, size_t length, struct topo *topo, struct topo_error *error);

#endif
