/* gpumetadata - where the GPUs are, and how near each NIC is to them, as a document
 * (spec#role-metadata). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_GPUMETADATA_H
#define NHM_GPUMETADATA_H

#include <jansson.h>

/* The document: `gpus`, `nic_topology` and, unless it is empty, `unbound` of `root`, with a line
 * per GPU and per NIC, to free(). NULL when memory runs out. */
char *gpumetadata_format_new(const json_t *root, size_t *length);

#endif
