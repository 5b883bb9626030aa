/* gpumetadata - formats the GPU metadata document: the GPUs, and how near each NIC is to them
 * (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_GPUMETADATA_H
#define NHM_GPUMETADATA_H

#include <jansson.h>

/* Format `gpus`, `nic_topology` and, unless it is empty, `unbound` of `root`, with one line per GPU
 * and per NIC. Return the text, to be freed, or NULL when memory runs out. */
char *gpumetadata_format_new(const json_t *root, size_t *length);

#endif
