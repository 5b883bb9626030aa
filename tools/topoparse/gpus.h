/* gpus - what `nvidia-smi --query-gpu=index,uuid,serial,pci.bus_id --format=csv` says of the
 * GPUs. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOPOPARSE_GPUS_H
#define TOPOPARSE_GPUS_H

#include "topo.h"

/* Adds to the GPUs of `topo` what the CSV text says of them. Each GPU must be in both, and in the
 * CSV once: else the two are not of the same moment, or not of the same machine. */
enum topo_status gpus_join(
	const char *text, size_t length, struct topo *topo, struct topo_error *error);

#endif
